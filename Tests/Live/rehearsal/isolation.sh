# What containers may do, what they see, and whom they reach. Sourced by rehearsal.sh, not run.

# Rights, and secrets in environments and on command lines.
look_at_rights() {
    local service id secret needle given wanted
    say "Looking at rights, environments and command lines …"
    for service in "${all[@]}"; do
        id=$(process "$service")
        [ "$(awk '/^Uid:/ { print $2 }' "/proc/$id/status")" != 0 ] || object "$service runs as root."
        [ "$(awk '/^CapEff:/ { print $2 }' "/proc/$id/status")" = 0000000000000000 ] || object "$service has capabilities."
        [ "$(awk '/^CapBnd:/ { print $2 }' "/proc/$id/status")" = 0000000000000000 ] || object "$service could get capabilities."
        [ "$(awk '/^NoNewPrivs:/ { print $2 }' "/proc/$id/status")" = 1 ] || object "$service could get privileges."
        [ "$(awk '/^Max core file size/ { print $5, $6 }' "/proc/$id/limits")" = "0 0" ] || object "$service may dump core."
        [ "$(docker inspect --format '{{.HostConfig.ReadonlyRootfs}}' "$(container "$service")")" = true ] ||
            object "$service can write to its root file system."
        [ "$(docker inspect --format '{{.HostConfig.Memory}}' "$(container "$service")")" -gt 0 ] ||
            object "$service has no limit of memory."
        for secret in "$VIGIL_SECRETS"/files/*; do
            case $secret in *.pem | *.json) continue ;; esac
            # The last line but one of a PEM file, and all that a short secret has.
            needle=$(grep -v -e '-----' "$secret" | tail -n 1 | sed 's/.*://')
            ! cat "/proc/$id/environ" "/proc/$id/cmdline" | tr '\0' '\n' | grep -F -- "$needle" >/dev/null ||
                object "$service has ${secret##*/} in its environment or on its command line."
        done
        # What it is given is what docker-compose.yml says; the number is enough to see that nothing else is there.
        given=$({ nsenter --mount --target "$id" ls /run/secrets 2>/dev/null || true; } | wc -l)
        wanted=$(/usr/bin/python3 -c 'import sys, yaml; print(len(yaml.safe_load(open("docker-compose.yml"))["services"][sys.argv[1]].get("secrets", [])))' \
            "$service")
        [ "$given" = "$wanted" ] || object "$service sees $given secrets, not $wanted."
    done
}

# Who calls whom, and so shares a network; "caller callee". What a neighbour may ask is a matter of its certificate.
mapfile -t neighbours < <(describe --arrows | grep -v '^migrate ')

declare -A ports=() closed_ports=()
while read -r service port; do ports[$service]+="$port "; done < <(describe --open)
# Ports that a container opens to itself only.
while read -r service port; do closed_ports[$service]+="$port "; done < <(describe --closed)
declare -A processes addresses
# The services that can be reached from within one. $1: the service that tries; then others, each at its ports in the map $2.
reached_from() {
    local from=$1 to address port
    local -n open=$2
    shift 2
    for to; do
        for address in ${addresses[$to]:-}; do
            for port in ${open[$to]:-}; do printf '%s %s %s\n' "$to" "$address" "$port"; done
        done
    done | nsenter --net --target "${processes[$from]}" /usr/bin/python3 Tests/Live/rehearsal/reach.py
}
# Sets $tried.
try_arrows() {
    local service from to pair others
    for service in "${all[@]}"; do
        processes[$service]=$(process "$service")
        addresses[$service]=$(docker inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}' "$(container "$service")")
    done
    say "Trying to connect from each container to each other …"
    tried=0
    for from in "${all[@]}"; do
        others=()
        for to in "${!ports[@]}"; do [ "$from" = "$to" ] || others+=("$to"); done
        tried=$((tried + ${#others[@]}))
        declare -A reached=() neighbour=()
        while read -r to; do [ -z "$to" ] || reached[$to]=yes; done < <(reached_from "$from" ports "${others[@]}")
        for pair in "${neighbours[@]}"; do
            case $pair in
                "$from "*) neighbour[${pair#* }]=yes ;;
                *" $from") neighbour[${pair% *}]=yes ;;
            esac
        done
        for to in "${others[@]}"; do
            case ${reached[$to]:-no},${neighbour[$to]:-no} in
                yes,no) object "$from can connect to $to." ;;
                no,yes) object "$from can't connect to $to." ;;
            esac
        done
        # A shared network doesn't open the admin port or a simulator's control port, which ask for no certificate.
        while read -r to; do
            [ -z "$to" ] || object "$from can connect to a port of $to that is for its own machine."
        done < <(reached_from "$from" closed_ports "${!neighbour[@]}")
    done
    say "$tried pairs were tried; ${#neighbours[@]} share a network."
}

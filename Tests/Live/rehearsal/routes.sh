# Where containers' packets go: whoever has a way out uses it, and nobody else has one. Sourced by rehearsal.sh, not run.
#
# Wants $project, the name of a compose project that runs on Docker, and `object`, which reports what is wrong. Networks are told apart
# by what Docker says of them, not by their names: so a name that sorts wrongly is found.

# An address that stands for the internet: nothing knows a way back from it but to this machine (RFC 5737, TEST-NET-2).
outside_address=198.51.100.1

# A network namespace with that address, and a port that takes connections. Prints the listener's process.
open_outside() {
    ip netns add vigil-outside
    ip link add vigil-out0 type veth peer name vigil-out1 netns vigil-outside
    ip addr add 198.51.100.2/30 dev vigil-out0
    ip link set vigil-out0 up
    ip -n vigil-outside addr add "$outside_address/30" dev vigil-out1
    ip -n vigil-outside link set vigil-out1 up
    ip netns exec vigil-outside socat "TCP-LISTEN:8443,bind=$outside_address,reuseaddr,fork" /dev/null 2>/dev/null &
    outside_listener=$!
    local attempt
    for attempt in $(seq 50); do
        ! timeout 1 bash -c ": </dev/tcp/$outside_address/8443" 2>/dev/null || return 0
        sleep 0.1
    done
    object "No port could be opened outside, after $attempt attempts: the ways out weren't looked at."
    return 1
}

close_outside() {
    [ -z "${outside_listener:-}" ] || { kill "$outside_listener" && wait "$outside_listener"; } 2>/dev/null || true
    outside_listener=
    # Its other end goes with it.
    ip link del vigil-out0 2>/dev/null || true
    ip netns del vigil-outside 2>/dev/null || true
}

# The gateways of a container's networks that lead out: not internal, and masqueraded. $1: the container.
ways_out() {
    local network gateway
    docker inspect --format '{{range .NetworkSettings.Networks}}{{.NetworkID}} {{println .Gateway}}{{end}}' "$1" |
        while read -r network gateway; do
            [ -z "$network" ] || [ "$(docker network inspect --format \
                '{{.Internal}} {{index .Options "com.docker.network.bridge.enable_ip_masquerade"}}' "$network")" != "false " ] ||
                printf '%s\n' "$gateway"
        done
}

# Says what is wrong with the routes of a container, or nothing. $1: the container.
judge_routes() {
    local process gateways route reached=
    process=$(docker inspect --format '{{.State.Pid}}' "$1")
    gateways=$(ways_out "$1")
    route=$(nsenter --net --target "$process" ip -4 route show default | awk '{ print $3 }')
    ! nsenter --net --target "$process" timeout 1 bash -c ": </dev/tcp/$outside_address/8443" 2>/dev/null || reached=yes
    if [ -n "$gateways" ]; then
        [ "$route" = "$gateways" ] || printf 'its default route is %s, and its way out %s\n' "${route:-none}" "$gateways"
        [ -n "$reached" ] || printf 'it has a way out, and reaches nothing there\n'
    else
        [ -z "$reached" ] || printf 'it has no way out, and reaches the outside by %s\n' "$route"
    fi
}

# The control: a container whose door has a name that sorts before that of its way out, and one that has them the other way round.
judge_control() {
    local prefix=${project:?}-control door=m-door way
    for way in z-way-out a-way-out; do
        docker network create --driver bridge --opt com.docker.network.bridge.enable_ip_masquerade=false \
            --subnet 198.18.0.0/28 "$prefix-$door" >/dev/null
        docker network create --driver bridge --subnet 198.18.1.0/28 "$prefix-$way" >/dev/null
        docker create --name "$prefix" --network "$prefix-$door" --entrypoint sleep vigil 60 >/dev/null
        docker network connect "$prefix-$way" "$prefix"
        docker start "$prefix" >/dev/null
        case $way in
            z-*) [ -n "$(judge_routes "$prefix")" ] || object "The control has no way out, and nobody sees it." ;;
            *) [ -z "$(judge_routes "$prefix")" ] || object "The control has a way out, but: $(judge_routes "$prefix")." ;;
        esac
        docker rm --force "$prefix" >/dev/null
        docker network rm "$prefix-$door" "$prefix-$way" >/dev/null
    done
}

# Every running container of $project, all at the same time: what leads nowhere takes a while to say so. Sets $routes and $ways: how many
# were looked at, and how many have a way out.
look_at_containers() {
    local id service problem found containers=() judges=()
    mapfile -t containers < <(docker ps --filter "label=com.docker.compose.project=$project" --format '{{.ID}} {{.Label "com.docker.compose.service"}}')
    routes=${#containers[@]} ways=0
    [ "$routes" -gt 0 ] || object "No container of $project runs: no route was looked at."
    found=$(mktemp -d)
    for id in "${containers[@]%% *}"; do
        { judge_routes "$id" >"$found/$id.problems" && ways_out "$id" >"$found/$id.ways"; } &
        judges+=($!)
    done
    wait ${judges[@]+"${judges[@]}"} || object "The routes of a container couldn't be looked at."
    while read -r id service; do
        [ ! -s "$found/$id.ways" ] || ways=$((ways + 1))
        while read -r problem; do object "$service: $problem."; done <"$found/$id.problems"
    done < <(printf '%s\n' "${containers[@]}")
    rm -rf "$found"
}

look_at_routes() {
    say "Looking at default routes …"
    open_outside || { close_outside && return 0; }
    look_at_containers
    judge_control
    close_outside
    say "$routes containers were looked at; $ways have a way out, and the others none."
}

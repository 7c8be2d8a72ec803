# A newer build and a migration come while people use the suite. Sourced by rehearsal.sh, not run.

# The schemas whose tables the newer build changes, and a table of each that is in use.
declare -A changed=(
    [Verification]=verification.session [TestResults]=test_results.result [Submission]=submission.inbox
    [PushDispatcher]=push_dispatcher.registration
)

# The same sources with one more migration in each of these schemas. With VIGIL_BUILT they are built on this machine, too: in a copy of
# the checkout with its build, which the compiler sees in the checkout's place, so that only what has changed is built again.
# $1: the folder for them.
newer_build() {
    local schema
    rm -rf "$1"
    mkdir -p "$1"
    cp -a .dockerignore Package.swift Shared Services Tests deploy "$1/"
    for schema in "${!changed[@]}"; do
        sed -i "s/^    ]\$/    ] + [Migration(\"rehearsal\", \"ALTER TABLE ${changed[$schema]} ADD COLUMN rehearsal integer\")]/" \
            "$1/Shared/Schema/$schema/"*Migrations.swift
    done
    [ -n "${VIGIL_BUILT:-}" ] || return 0
    say "Building the newer programs …"
    tar --exclude './.build/*/debug' -cf - ./.build | tar -C "$1" -xf -
    # The expressions are the inner shell's.
    # shellcheck disable=SC2016
    quietly newer unshare --mount --propagation private bash -c 'mount --bind "$1" "$2" && cd "$2" && shift 2 && exec "$@"' bash \
        "$1" "$checkout" env VIGIL_PROGRAMS_ONLY=1 swift build "${release[@]}" ${jobs:+--jobs "$jobs"}
}

# What is opened to the outside: the container's port, its network, and the balancer's port.
declare -A doors=(
    [metadata-proxy]="8000 ingress-apps 8200" [verification-server]="8011 portal-verification 8211" [test-result-server]="8020 ingress-labs 8220"
    [edge]="8040 ingress-downloads 8240"
)

# As an operator's, one port for each door: it knows two containers of each, and sends connections to those that are told.
start_balancer() {
    local service port network outside
    mkdir -p "$stage/balancer"
    {
        printf 'global\n  stats socket %s/balancer/socket level admin\n' "$stage"
        printf 'defaults\n  mode tcp\n  timeout connect 2s\n  timeout client 60s\n  timeout server 60s\n'
        for service in "${!doors[@]}"; do
            read -r port network outside <<<"${doors[$service]}"
            printf 'listen %s\n  bind 127.0.0.1:%s\n  server old %s:%s\n  server new 127.0.0.1:1 disabled\n' \
                "$service" "$outside" "$(address "$(container "$service")" "$network")" "$port"
        done
    } >"$stage/balancer/haproxy.cfg"
    docker run --detach --rm --name "$project-balancer" --network host --volume "$stage/balancer:$stage/balancer" vigil-rehearsal-haproxy \
        haproxy -W -f "$stage/balancer/haproxy.cfg" >/dev/null
}

balancer() { printf '%s\n' "$1" | socat - "UNIX-CONNECT:$stage/balancer/socket" >/dev/null; }
# A container's address in a network.
address() { docker inspect --format "{{(index .NetworkSettings.Networks \"${project}_$2\").IPAddress}}" "$1"; }

# From now on the balancer sends a door's new connections to a container. $1: the service; $2: old or new; $3: the container.
send_to() {
    local port network outside other=old
    [ "$2" = new ] || other=new
    read -r port network outside <<<"${doors[$1]}"
    balancer "set server $1/$2 addr $(address "$3" "$network") port $port"
    balancer "set server $1/$2 state ready"
    balancer "set server $1/$other state drain"
}

# The program of a service, after which its image is named. $1: the service.
program() {
    case $1 in
        fold) echo submission-server ;;
        donation-fold) echo data-donation ;;
        *) echo "$1" ;;
    esac
}

# Whether a container answers. $1: the service; $2: the container.
is_ready() {
    if [ "$1" = edge ]; then
        docker exec "$2" curl --fail --silent --output /dev/null http://127.0.0.1:8049/health
    else
        docker exec "$2" "$(program "$1")" ready 2>/dev/null
    fi
}

# A second container of the new image comes, then the first is replaced, then the second goes, as deploy/runbook.md has it.
replace() {
    local next="next-$1" second
    quietly replace docker compose run -d --no-deps --use-aliases --name "$next" "$1"
    for second in $(seq 60); do
        ! is_ready "$1" "$next" || break
        sleep 1
    done
    is_ready "$1" "$next" || fail "The new $1 didn't become ready in $second s: $(docker logs --tail 3 "$next" 2>&1)"
    [ -z "${doors[$1]:-}" ] || send_to "$1" new "$next"
    quietly replace docker compose up -d --no-deps --wait --wait-timeout 120 "$1"
    [ -z "${doors[$1]:-}" ] || send_to "$1" old "$(container "$1")"
    quietly replace docker stop --time 35 "$next"
    docker rm "$next" >/dev/null
}

# How many migrations were applied.
migrations() {
    docker exec "$(container postgres)" psql -X -A -t -d vigil -c 'SELECT count(*) FROM vigil.migration'
}

upgrade() {
    local name service before
    say "Upgrading while phones, laboratories, officers and downloads go on …"
    start_balancer
    officer=$("$stage/programs/vigil-dev" officer-token --state "$stage/state" --role c19hotline \
        --issuer https://development-identity:8080) \
        /usr/bin/python3 Tests/Live/rehearsal/traffic.py "$VIGIL_SECRETS/callers" apps=localhost:8200 \
        portal=localhost:8211 labs=localhost:8220 downloads=localhost:8240 &
    traffic=$!
    sleep 10
    for name in "${images[@]}"; do
        name=$(image "$name")
        docker tag "$name:newer" "$name:latest"
    done
    before=$(migrations)
    docker compose run --rm --no-deps -T migrate >"$cache/migrate.log" 2>&1 || true
    [ "$(migrations)" = $((before + ${#changed[@]})) ] ||
        object "The migrations weren't applied: $(tail -n 2 "$cache/migrate.log")"
    say "migrated"
    sleep 3
    for service in "${services[@]}" edge; do
        [ "${service#development-}" = "$service" ] || continue
        replace "$service"
        say "replaced: $service"
    done
    sleep 5
    kill -TERM "$traffic"
    wait "$traffic" || object "Requests failed while the suite was upgraded; see above."
    traffic=
    docker rm --force "$project-balancer" >/dev/null
    # As the runbook ends: nothing is left of the old images, `migrate` in particular.
    quietly upgraded docker compose up -d --wait --wait-timeout 300
    for service in "${services[@]}"; do
        [ "${service#development-}" != "$service" ] ||
            [ "$(docker inspect --format '{{.Image}}' "$(container "$service")")" = \
                "$(docker inspect --format '{{.Id}}' "vigil-$(program "$service"):newer")" ] || object "$service isn't the newer build."
    done
}

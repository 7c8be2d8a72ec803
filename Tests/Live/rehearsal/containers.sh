# The suite in containers: how it starts, what is asked of it, and how it ends. Sourced by rehearsal.sh, not run.

container() { printf '%s-%s-1' "$project" "$1"; }
process() { docker inspect --format '{{.State.Pid}}' "$(container "$1")"; }

# Whatever takes long and says little. $1: the name of its log; then the command.
quietly() {
    local log="$cache/$1.log"
    shift
    "$@" >"$log" 2>&1 || fail "FAILED: $* ended with $?: $(tail -n 5 "$log")"
}

# As the README has it. Sets $all: who runs.
all=()
bring_up() {
    local start=$SECONDS
    quietly secrets bash deploy/secrets.sh
    say "secrets after $((SECONDS - start)) s"
    quietly up docker compose up -d --wait --wait-timeout 300
    mapfile -t all < <(docker compose ps --services --status running)
    say "${#all[@]} containers are healthy after $((SECONDS - start)) s"
    look_at_logs
}

# Services and PostgreSQL that have just started warn of no setting of their own, except of the simulators that they are meant to use.
look_at_logs() {
    local logs warnings
    logs=$(docker compose logs --no-color 2>/dev/null) || true
    grep '"level":"info"' <<<"$logs" >/dev/null || object "The services' logs have no line at all."
    warnings=$(grep -E '"level":"(warning|error|critical)"| (WARNING|ERROR|PANIC): ' <<<"$logs" | grep -v 'for development only') || return 0
    object "A suite that has just started warns: $warnings"
}

# Until a container's own health check says yes. $1: its service; $2: seconds.
wait_healthy() {
    local second
    for second in $(seq "$2"); do
        [ "$(docker inspect --format '{{.State.Health.Status}}' "$(container "$1")")" != healthy ] || return 0
        sleep 1
    done
    docker logs --tail 5 "$(container "$1")" >&2 || true
    fail "$1 was not healthy within $second seconds; what it said last stands above."
}

# Kills a program from outside, as a lack of memory would, and waits until it runs and is healthy again. $1: its service.
kill_program() {
    local id new=0 second
    id=$(process "$1")
    kill -KILL "$id"
    for second in $(seq 60); do
        new=$(process "$1")
        [ "$new" = 0 ] || [ "$new" = "$id" ] || break
        sleep 1
    done
    [ "$new" != "$id" ] && [ "$new" != 0 ] || { object "$1 was not started again." && return 0; }
    wait_healthy "$1" 120
    say "killed, and healthy again: $1"
}

# `up --wait` must end with an error if a container starts again and again, and with the right setting all must be well. Distribution
# doesn't start as another country than the database's.
misconfigure() {
    ! VIGIL_ORIGIN=FR docker compose up -d --no-deps --wait --wait-timeout 15 distribution >"$cache/misconfigured.log" 2>&1 ||
        object "docker compose up --wait succeeds, though distribution can't start."
    docker logs "$(container distribution)" 2>&1 | grep 'this suite was migrated with' >/dev/null || object "distribution doesn't say why it can't start."
    quietly repaired docker compose up -d --no-deps --wait --wait-timeout 60 distribution
}

smoke() {
    bash deploy/smoke.sh || object "deploy/smoke.sh fails; see above. $*"
}

# Down, with everything that it has; nothing may be left.
bring_down() {
    local left record="$stage/removed"
    rm -f "$record"
    quietly down bash deploy/remove.sh --everything --yes --record "$record"
    left=$(docker ps --all --format '{{.Names}}' && docker volume ls --quiet && docker network ls --format '{{.Name}}' --filter type=custom)
    [ -z "$left" ] || object "deploy/remove.sh leaves behind: $(paste -s -d ' ' <<<"$left")"
    [ ! -e "$VIGIL_SECRETS" ] || object "deploy/remove.sh leaves the secrets."
    grep -q '^volume vigil_database' "$record" && grep -q '^Looked again' "$record" || object "deploy/remove.sh doesn't record what it removed."
    say "everything is removed"
}

# For the exit trap.
stage=
traffic=
relays=()
take_down() {
    trap - EXIT INT TERM HUP
    [ ${#relays[@]} = 0 ] || kill "${relays[@]}" 2>/dev/null || true
    [ -z "$traffic" ] || kill "$traffic" 2>/dev/null || true
    if [ -n "$keep" ]; then
        say "Everything is left running until Control-C. In another terminal:" \
            "nsenter --target \"\$(pgrep -P $VIGIL_REHEARSAL_INSIDE)\" --net --mount --pid env DOCKER_HOST=$DOCKER_HOST bash"
        trap : INT TERM HUP
        sleep infinity &
        wait $! || true
    fi
    if [ -n "$engine" ]; then
        say "Taking down …"
        [ -z "$stage" ] || ! mountpoint -q "$stage/state/published" || umount "$stage/state/published"
        remove_everything
        stop_engine
    fi
    [ -z "$stage" ] || rm -rf "$stage"
}

# MARK: The short rehearsal

rehearse_shortly() {
    bring_up
    smoke
    misconfigure
    look_at_routes
    try_overlays
    say "Killing PostgreSQL …"
    kill_program postgres
    for service in "${all[@]}"; do wait_healthy "$service" 120; done
    smoke "PostgreSQL was killed before."
    back_up_and_restore
    bring_down
}

# MARK: The whole

rehearse() {
    local service
    export COMPOSE_FILE COMPOSE_PROFILES=federation,development-gateway,data-donation,development-attestation,further
    COMPOSE_FILE=$(IFS=: && printf '%s' "${compose_files[*]}")
    export VIGIL_WAVES_PAUSE=0 VIGIL_WAVES_SPREAD=0 VIGIL_SMALLEST_FEDERATED_SET=140
    bring_up
    smoke
    prepare_story
    # The first run of distribution may announce what it published; the wave that follows within two seconds must be over.
    sleep 5
    say "Playing the story from outside …"
    play

    look_at_rights
    try_arrows
    look_at_routes
    try_overlays
    scan_listeners
    upgrade

    say "Killing every program …"
    for service in "${all[@]}"; do kill_program "$service"; done
    for service in "${all[@]}"; do wait_healthy "$service" 120; done
    say "Playing the story once more …"
    play

    # Prometheus was started again, too: it has looked at everybody twice after half a minute.
    sleep 35
    say "Asking Prometheus …"
    nsenter --net --target "$(process prometheus)" /usr/bin/python3 Tests/Alerts/names.py --prometheus http://127.0.0.1:9090 ||
        object "Prometheus lacks what alerts are made of; see above."
    end_story
    change_postgres
    back_up_and_restore
    bring_down

    say "Starting as another country …"
    # The settings are those of the suite that was removed.
    rm -f .env
    export VIGIL_ORIGIN=PL VIGIL_TIME_ZONE=Europe/Warsaw VIGIL_FEDERATION_COUNTRIES=DE,FR,NL VIGIL_SECRETS="$stage/secrets-pl"
    bring_up
    smoke "It was another country."
    prepare_story
    say "Playing the story there …"
    play
    end_story
    bring_down
    say "Rehearsed: the story three times, $tried pairs of containers, ${#listeners[@]} listeners, an upgrade, ${#all[@]} kills."
}

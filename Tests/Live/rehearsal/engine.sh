# A Docker engine of the rehearsal's own. Sourced by rehearsal.sh, not run.

# Of /usr/bin, as Debian's packages have them: another client may come first on the PATH. With Compose, as those who follow the README
# have it.
engine_run=/run/vigil-rehearsal
export DOCKER_HOST="unix://$engine_run/docker.sock" DOCKER_CONFIG="$cache/client" DOCKER_BUILDKIT=1
prepare_client() {
    prepare_programs
    rm -rf "$DOCKER_CONFIG" "$cache/bin"
    mkdir -p "$DOCKER_CONFIG/cli-plugins" "$cache/bin"
    ln -s "$compose" "$DOCKER_CONFIG/cli-plugins/docker-compose"
    ln -s /usr/bin/docker "$cache/bin/docker"
}
export PATH="$cache/bin:$PATH"

# Whoever can't run an engine leaves the rehearsal out, but not continuous integration. $*: why.
leave_out() {
    [ "${CI:-}" != true ] || fail "FAILED: the rehearsal can't run here: $*"
    say "SKIPPED: the rehearsal in containers: $*"
    exit 0
}

# Starts the engine, without a configuration of its own but for the places of its files. Arguments: further options of dockerd.
engine=
start_engine() {
    local attempt
    rm -rf "$engine_run"
    mkdir -p "$engine_run"
    # Not the machine's daemon.json.
    printf '{}\n' >"$engine_run/daemon.json"
    # Debian's, whatever is on the PATH. It ends if this script is killed, and takes no lock along.
    setpriv --pdeathsig TERM /usr/sbin/dockerd --config-file "$engine_run/daemon.json" --data-root "$cache/engine" \
        --exec-root "$engine_run/exec" --pidfile "$engine_run/pid" --host "$DOCKER_HOST" "$@" >"$cache/engine.log" 2>&1 9>&- &
    engine=$!
    for attempt in $(seq 300); do
        ! docker version >/dev/null 2>&1 || { remove_everything && return 0; }
        kill -0 "$engine" 2>/dev/null || break
        sleep 0.1
    done
    leave_out "no Docker engine starts within $((attempt / 10)) s: $(tail -n 1 "$cache/engine.log" | cut -c 1-300)"
}

# Ends it, and no other.
stop_engine() {
    [ -n "$engine" ] || return 0
    kill -TERM "$engine" 2>/dev/null || true
    wait "$engine" 2>/dev/null || true
    engine=
}

# Removes what an earlier rehearsal left, because it was killed; images stay.
remove_everything() {
    docker ps --all --quiet | xargs -r docker rm --force --volumes >/dev/null || true
    docker volume ls --quiet | xargs -r docker volume rm --force >/dev/null || true
    docker network prune --force >/dev/null || true
}

# Runs a command that has the processes and mounts that it makes, and a network, for itself: they end with it.
apart() { unshare --net --mount --pid --fork --kill-child=TERM --mount-proc --propagation private "$@"; }

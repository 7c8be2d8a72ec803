# A suite of its own for a script that asks the running services questions. Sourced, not run.
. "$checkout/Tests/tools.sh"

# Where the programs are that the checks run: those for release, unless VIGIL_PROGRAMS names another folder, such as .build/debug,
# whose programs are then taken as they are.
programs="$checkout/.build/release"
[ -z "${VIGIL_PROGRAMS:-}" ] || { programs=$(cd "$VIGIL_PROGRAMS" && pwd -P) && VIGIL_BUILT=yes; }

# The checks' Python modules, first of all the client that they share.
export PYTHONPATH="$checkout/Tests/Live" PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1

# Everything of the suite and of the script lies here; the suite's own in "$scratch/state".
scratch=
# Where that folder is made.
scratch_parent=/tmp
# The process `vigil-dev up`, and the first of its 200 ports, which is the metadata proxy's.
suite=
first_port=

# Starts a suite on free ports; it ends with the script. Other suites may be running meanwhile.
# Arguments: further options of `vigil-dev up`.
start_suite() {
    local attempt
    scratch=$(mktemp -d "$scratch_parent/vigil-scratch.XXXXXX")
    trap stop_suite EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    find_ports
    say "Starting a suite on ports from $first_port …"
    # `setpriv` ends it if this script is killed.
    setpriv --pdeathsig TERM "$programs/vigil-dev" up --state "$scratch/state" \
        --first-port "$first_port" "$@" >"$scratch/up.log" 2>&1 &
    suite=$!
    for attempt in $(seq 1800); do
        ! grep -qs '^The suite is running' "$scratch/up.log" || return 0
        kill -0 "$suite" 2>/dev/null || fail "The suite does not start: $(tail -n 3 "$scratch/up.log")"
        sleep 0.1
    done
    fail "The suite was not ready within 3 minutes: $(tail -n 3 "$scratch/up.log")"
}

# Sets first_port, below the range from which the system takes ports for outgoing connections.
find_ports() {
    first_port=$((20000 + $$ % 60 * 200))
    until is_free "$first_port"; do
        first_port=$((first_port + 200))
        [ "$first_port" -lt 32000 ] || fail "No ports are free between 20000 and 32000."
    done
}

# For the exit trap.
stop_suite() {
    trap - EXIT INT TERM HUP
    if [ -n "$suite" ]; then
        # It stops its services and its PostgreSQL itself.
        kill -TERM "$suite" 2>/dev/null || true
        wait "$suite" 2>/dev/null || true
    fi
    rm -rf "$scratch"
}

# MARK: Checks

# Those that have failed.
failed=()

# Runs a check, which may fail, and keeps what it says.
# $1: its name; then its command.
run_check() {
    local name=$1
    shift
    "$@" </dev/null 2>&1 | tee "$scratch/$name.said" || failed+=("$name")
}

# Ends the script if a check has failed, and says last what was wrong: of a long log often only the end is kept.
# $1: what marks the lines that say it; where there is none, they are the last that a check says.
conclude_checks() {
    [ ${#failed[@]} -gt 0 ] || return 0
    local name
    for name in "${failed[@]}"; do
        { grep -e "${1:-}" "$scratch/$name.said" || tail -n 8 "$scratch/$name.said"; } | tail -n 12 | cut -c -600 >&2
    done
    fail "FAILED: ${failed[*]}; the objections are above."
}

# Runs a subject of proof.sh, and says how long it took.
# $1: the subject, in whose folder a program has its name; then the program's further options.
prove() {
    local subject=$1 started=$SECONDS
    shift
    # As many open files as the system allows: a connection is open at both ends.
    ulimit -n "$(ulimit -H -n)" 2>/dev/null || true
    PYTHONPATH="$PYTHONPATH:$checkout/Tests/Live/hostile:$checkout/Tests/Live/proof" setpriv --pdeathsig TERM \
        "$python" "$checkout/Tests/Live/proof/$subject/$subject.py" --state "$scratch/state" --programs "$programs" \
        --scratch "$scratch" "$@" || fail "FAILED: $subject; the objections are above."
    say "PROVED: $subject in $((SECONDS - started)) seconds."
}

# Whether a suite's 200 ports from $1 on are free.
is_free() {
    local port
    for port in $(seq "$1" $(($1 + 199))); do
        ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || return 1
    done
}

#!/usr/bin/env bash
# Runs every test, on a throw-away PostgreSQL of its own.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/test.sh [OPTION…]

Installs what is missing, checks the format, builds, and runs every test. The tests' PostgreSQL listens on a Unix socket
in a temporary folder only, so the suite may be running meanwhile.

  --filter PATTERN   only the tests whose names match; further options of `swift test` are passed on too
  --help             this text
TEXT
}

for argument in "$@"; do
    case $argument in
        -h | --help)
            usage
            exit 0
            ;;
    esac
done

# MARK: The throw-away PostgreSQL

scratch=
server=

stop_postgres() {
    trap - EXIT INT TERM HUP
    if [ -n "$server" ]; then
        # Fast, not smart: a test that failed may have left connections.
        kill -INT "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    [ -z "$scratch" ] || rm -rf "$scratch"
}

# PostgreSQL refuses to run as root. `setpriv` ends the server if this script is killed.
as_postgres() {
    if [ "$(id -u)" = 0 ]; then
        exec setpriv --reuid=postgres --regid=postgres --clear-groups --pdeathsig INT "$@"
    else
        exec setpriv --pdeathsig INT "$@"
    fi
}

start_postgres() {
    local programs
    programs=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
    [ -x "$programs/initdb" ] || fail "PostgreSQL's server is not installed: run apt-get install postgresql."
    # A short path: a socket's may have 107 bytes.
    scratch=$(mktemp -d /tmp/vigil-test.XXXXXX)
    [ "$(id -u)" != 0 ] || chown postgres: "$scratch"
    say "Starting a PostgreSQL for the tests …"
    # Whoever may enter the folder may be anybody in the database: it is private, and gone after the tests.
    (cd "$scratch" && as_postgres "$programs/initdb" --pgdata="$scratch/data" --username=postgres --auth=trust \
        --encoding=UTF8 --locale=C.UTF-8 --no-sync >"$scratch/initdb.log" 2>&1) ||
        fail "initdb failed: $(tail -n 1 "$scratch/initdb.log")"
    (cd "$scratch" && as_postgres "$programs/postgres" -D "$scratch/data" -c listen_addresses= \
        -c unix_socket_directories="$scratch" -c max_connections=200 -c fsync=off -c full_page_writes=off \
        >"$scratch/postgres.log" 2>&1) &
    server=$!
    local attempt
    for attempt in $(seq 300); do
        "$programs/pg_isready" -q -h "$scratch" -U postgres && return
        kill -0 "$server" 2>/dev/null || fail "PostgreSQL does not start: $(tail -n 1 "$scratch/postgres.log")"
        sleep 0.1
    done
    fail "PostgreSQL was not ready within 30 seconds: $(tail -n 1 "$scratch/postgres.log")"
}

# MARK: The checks

check_swift
install_packages
check_disk "$checkout" 6000
cd "$checkout"

say "Checking the format …"
swift format lint --strict -r Services Shared Tests Package.swift ||
    fail "The format is wrong: run swift format -i -r Services Shared Tests Package.swift."

say "Building; the first time this takes some minutes …"
swift build --build-tests --explicit-target-dependency-import-check error ||
    fail "The build failed: see what the compiler says above."

trap 'stop_postgres' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
start_postgres
export VIGIL_TEST_POSTGRES="host=$scratch port=5432 user=postgres dbname=postgres"
export VIGIL_REQUIRE_POSTGRES=1

say "Testing …"
output="$scratch/tests.log"
status=0
started=$SECONDS
swift test --skip-build "$@" 2>&1 | tee "$output" || status=$?

# Swift Testing's own last line, such as "Test run with 412 tests in 60 suites passed after 12.3 seconds."
total=$(sed -n 's/.*Test run with \([0-9]*\) test.*/\1/p' "$output" | tail -n 1)
skipped=$(grep -c -E '(Test|Suite) .* skipped(\.|:)' "$output" || true)
summary="${total:-0} tests in $((SECONDS - started)) seconds"
[ "$status" = 0 ] || fail "FAILED: $summary; see what failed above."
[ "${total:-0}" -gt 0 ] || fail "FAILED: no test ran."
[ "$skipped" = 0 ] || fail "FAILED: $summary, but $skipped were skipped."
say "PASSED: $summary, none skipped."

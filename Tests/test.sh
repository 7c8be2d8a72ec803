#!/usr/bin/env bash
# Runs every test, on a throw-away PostgreSQL of its own. `bash deploy/test.sh` is the way in.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash deploy/test.sh [OPTION…]

Installs what is missing, checks what needs no build (Tests/static.sh), builds, runs every test, and then holds the running
services against their OpenAPI documents (Tests/Live/conformance.sh). The tests' PostgreSQL listens on a Unix socket in a
temporary folder only, so the suite may be running meanwhile. The tests' S3 store (moto) lives in a virtual environment below
$XDG_CACHE_HOME (~/.cache); it is made if it is missing.

  --rehearsal        the suite in containers instead (Tests/Live/rehearsal.sh)
  --only             the tests alone: neither what needs no build nor the documents
  --filter PATTERN   only the tests whose names match, neither alerts nor documents; further options of `swift test` are
                     passed on too
  --help             this text
TEXT
}

only=
if [ "${1:-}" = --only ]; then
    only=yes
    shift
fi
for argument in "$@"; do
    case $argument in
        -h | --help)
            usage
            exit 0
            ;;
        --rehearsal) exec bash "$checkout/Tests/Live/rehearsal.sh" ;;
    esac
done

# MARK: The checks

prepare_machine
check_disk "$checkout" 6000
cd "$checkout"

if [ -z "$only" ]; then
    every=()
    [ $# = 0 ] || every=(--no-alerts)
    bash Tests/static.sh ${every[@]+"${every[@]}"} || exit 1
fi

part "build for debugging" build_debug --build-tests
prepare_python
export VIGIL_TEST_PYTHON="$python"

trap 'stop_postgres' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# Each test makes a database and files of its own, some hundred thousand in all: a disk would be what the tests wait for.
memory=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1 || true)
[ "${memory:-0}" -lt 6000000 ] || [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -lt 10000000 ] ||
    scratch_place=/dev/shm
# Nothing here must outlive a power cut.
start_postgres -c fsync=off -c full_page_writes=off
mkdir -m 1777 "$scratch/tmp"
export TMPDIR="$scratch/tmp"
export VIGIL_TEST_POSTGRES="host=$scratch port=5432 user=postgres dbname=postgres"
export VIGIL_REQUIRE_POSTGRES=1

# Where SoftHSM keeps the tests' tokens; it looks once in a process's life.
mkdir "$scratch/tokens"
printf 'directories.tokendir = %s\nlog.level = ERROR\n' "$scratch/tokens" >"$scratch/softhsm2.conf"
export SOFTHSM2_CONF="$scratch/softhsm2.conf"
export VIGIL_TEST_SOFTHSM=/usr/lib/softhsm/libsofthsm2.so

# Tests run in parallel, but not all at once: on few cores those with deadlines would starve.
width=()
if swift test --help-hidden 2>/dev/null | grep -e --experimental-maximum-parallelization-width >/dev/null; then
    width=(--experimental-maximum-parallelization-width "$((2 * $(nproc)))")
fi

say "Testing …"
output="$scratch/tests.log"
status=0
started=$SECONDS
# Tests/Live/failover.sh starts the servers for the tests that are left out.
# A test that hangs even when its own time is up would keep the run from ending. Line by line, so that the log tells which.
timeout --foreground --signal=INT --kill-after=30 40m \
    stdbuf -oL swift test --skip-build --skip FailoverTests ${width[@]+"${width[@]}"} "$@" 2>&1 | tee "$output" || status=$?

# Swift Testing's own last line, such as "Test run with 412 tests in 60 suites passed after 12.3 seconds."
total=$(sed -n 's/.*Test run with \([0-9]*\) test.*/\1/p' "$output" | tail -n 1)
skipped=$(grep -c -E '(Test|Suite) .* skipped(\.|:)' "$output" || true)
say "The slowest tests, in seconds (while others ran beside them):"
sed -nE 's/^. Test (.*) (passed|failed) after ([0-9.]+) seconds.*/\3 \1/p' "$output" | sort -rn | head -n 10 || true
summary="${total:-0} tests in $((SECONDS - started)) seconds"
if [ "$status" != 0 ]; then
    # Repeated at the end, because often only the last lines of a log are kept: where it failed, how often, and how.
    say "What failed:"
    grep -a ' recorded an issue' "$output" | sed -E 's/.* at ([A-Za-z0-9]+\.swift:[0-9]+):[0-9]+: /\1 /' | cut -c 1-160 |
        sort | uniq -c | sort -rn | head -n 15 || true
    say "What began and didn't end:"
    comm -23 <(sed -nE 's/^◇ Test (".*") started\.$/\1/p' "$output" | sort) \
        <(sed -nE 's/^. Test (".*")( with [0-9]+ test cases?)? (passed|failed) after .*/\1/p' "$output" | sort)
fi
[ "$status" = 0 ] || [ -n "$total" ] || fail "FAILED: the tests did not run to their end; see why above."
[ "$status" = 0 ] || fail "FAILED: $summary; see what failed above."
[ "${total:-0}" -gt 0 ] || fail "FAILED: no test ran."
[ "$skipped" = 0 ] || fail "FAILED: $summary, but $skipped were skipped."
if [ $# = 0 ] && [ -z "$only" ]; then
    VIGIL_BUILT=yes bash "$checkout/Tests/Live/conformance.sh" || fail "FAILED: $summary passed, but the services differ from their documents."
fi
say "PASSED: $summary, none skipped."

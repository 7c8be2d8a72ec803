#!/usr/bin/env bash
# Shows that an observer who measures when answers arrive learns nothing about them.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/timing.sh [--pairs N] [--deadline MS] [--seed N] [--http2] [--load PERCENT] [--slow-disk MS]

Installs what is missing, builds for release, and runs a suite of its own on free ports. Sends registrations, polls,
requests for TANs, uploads by TAN and by one-time password, requests for passwords and donations, of Android phones and of
iPhones with App Attest, and reports, batches and keys of further, signed and unsigned, through the metadata proxy (real and
dummy, fresh, repeated, spent, unknown, malformed, forged) in random order over many connections, and records when each answer
arrives. Then compares every kind with all others of its route, every two kinds, a route's dummies and its refused requests
with the others, and the routes of the verification server: means, trimmed means, Kolmogorov–Smirnov distance, a classifier,
and the share of answers that came a deadline late or more, corrected for their number, at a level of 1e-5.

The controls: on every route one kind is sent a second time and delayed by 200 µs, and one kind is sent with 2 % of its
answers a deadline late. These must be found as other kinds would, beside all others of the route; otherwise more is measured,
up to eight times as much, and then the check has failed. --pairs therefore doesn't decide which leaks must be found; more
answers find smaller ones.

Takes about five minutes, nearly all of it sending: as many requests wait for the proxy's deadline at a time as keep the
machine half busy. Needs the machine alone: answers that a service hasn't ready by the deadline leave later,
services are then late with some kinds more often than with others, and that is found, too. If it is all that is found, it is
measured once more.

  --pairs N       answers of each kind (default 1500; 10000 for a release; 150000 takes a night); two fifths of that from
                  iPhones, for passwords for logs and self-reports, for uploads by password, and for further's batches, keys and
                  signed reports
  --deadline MS   the proxy's deadline (default 50)
  --seed N        another order of the requests (default 1)
  --http2         over HTTP/2 (default HTTP/1.1)
  --load PERCENT  a load beside it, in bursts, that takes this share of each core
  --slow-disk MS  each flush of PostgreSQL's write-ahead log starts this much later: only requests that write wait for it
  --help          this text

With --load or --slow-disk late answers are what is looked for, and there is no second measurement. The Python packages live
in a virtual environment below $XDG_CACHE_HOME (~/.cache); it is made if it is missing.
TEXT
}

# The late control decides how many there must be. 30 of its answers are late, and beside eight other kinds its test has to find 10
# at this level (detector.py), which it misses once in a hundred thousand times; for 200 µs a tenth would do, so two fifths do for the
# kinds that have fewer. Twice as many were needed while answers were compared in couples only. On made-up times that scatter like
# those of two idle cores these leaks are found in 19 of 20 trials:
#
#                                                             1,500 answers          3,000 answers, in couples
#   one kind is later than the others, or late more often     4 to 6 µs, 0.9-1.3 %   6 µs, 1.4 %
#   the same with two fifths of the answers                   10 or 11 µs, 2.1-2.6 % 14 µs, 3.4 %
#   three of six kinds are, the dummies or the refused        5 µs, 1 %              6 µs, 1.4 %
#   other kinds are, of which only couples tell               8 µs, 2.7 %            6 µs, 1.4 %
pairs=1500
deadline=50
seed=1
protocol=http/1.1
load=
slow_disk=
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --http2) protocol=h2 && shift ;;
        --pairs | --deadline | --seed | --load | --slow-disk)
            [[ ${2:-} =~ ^[1-9][0-9]{0,6}$ ]] || fail "$1 needs a number from 1 to 9999999."
            case $1 in
                --pairs) pairs=$2 ;;
                --deadline) deadline=$2 ;;
                --seed) seed=$2 ;;
                --load) load=$2 ;;
                --slow-disk) slow_disk=$2 ;;
            esac
            shift 2
            ;;
        *) fail "timing.sh has no option $1; see --help." ;;
    esac
done

[ -z "$load" ] || [ "$load" -lt 100 ] || fail "--load needs a number from 1 to 99."
[ -z "$slow_disk" ] || [ "$slow_disk" -le 100 ] || fail "--slow-disk needs a number from 1 to 100: PostgreSQL waits no longer."

prepare_machine
check_disk "$checkout" 6000

prepare_python
build_release
# PostgreSQL in memory, if there is enough: a disk that other programs keep busy delays only requests that write, and longer
# than this deadline. That would be found, rightly, but it would not be the proxy's doing.
[ "$(df -Pm /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -lt 4000 ] 2>/dev/null || scratch_parent=/dev/shm
# All requests come from one address, and one class of them guesses teleTANs: without limits, lest these are measured. Without
# DeviceCheck, which a self-report with App Attest would wait for; the story needs it.
start_suite --no-story --set data-donation.deviceCheck.key= \
    --set metadata-proxy.limits.requests=10000000 --set metadata-proxy.limits.registrations=10000000 \
    --set metadata-proxy.limits.refusedRegistrations=10000000 --set metadata-proxy.limits.connections=1000000 \
    --set metadata-proxy.limits.pushRegistrations=10000000 --set metadata-proxy.limits.donations=10000000 \
    --set metadata-proxy.limits.further=10000000 \
    --set test-result-server.positives.hourlyLimit=1000000 \
    --set verification-server.teleTAN.refusalBudget=1000000 --set verification-server.tan.perRegistration=3 \
    --set metadata-proxy.answers.deadline="$deadline"

adverse=()
if [ -n "$slow_disk" ]; then
    adverse=(--adverse)
    # A transaction waits this long before it flushes the log (commit_delay); by default only while others are active.
    postgres_programs=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin | sort -V | tail -n 1)
    "$postgres_programs/psql" --no-psqlrc --quiet --set ON_ERROR_STOP=1 \
        --command "ALTER SYSTEM SET commit_delay = $((slow_disk * 1000))" --command "ALTER SYSTEM SET commit_siblings = 0" \
        --command "SELECT pg_reload_conf()" --output /dev/null "host=$scratch/state/postgres/socket port=5432 dbname=postgres \
        user=postgres passfile=$scratch/state/secrets/pgpass-postgres"
fi
if [ -n "$load" ]; then
    adverse=(--adverse)
    setpriv --pdeathsig TERM "$python" "$checkout/Tests/Live/timing/load.py" "$(awk -v n="$load" 'BEGIN { print n / 100 }')" &
fi

# $1: the seed. In the background, so that the script reacts to signals at once; `setpriv` ends it with the script.
measure() {
    setpriv --pdeathsig TERM "$python" "$checkout/Tests/Live/timing/measure.py" "$scratch/state" \
        "$programs" --pairs "$pairs" --deadline "$deadline" --seed "$1" --protocol "$protocol" ${adverse[@]+"${adverse[@]}"} &
    wait $!
}

started=$SECONDS
status=0
measure "$seed" || status=$?
if [ "$status" = 3 ]; then
    say "Measuring once more: if it was the machine that had something else to do, it won't be found again."
    status=0
    measure $((seed + 1)) || status=$?
fi
if grep -h '"level":"error"' "$scratch"/state/logs/*.log >&2; then fail "A service logged the errors above."; fi
[ "$status" = 0 ] || fail "FAILED after $((SECONDS - started)) seconds."
say "PASSED: $((SECONDS - started)) seconds of measuring."

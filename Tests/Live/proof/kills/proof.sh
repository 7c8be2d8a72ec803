#!/usr/bin/env bash
# What kill -9 and SIGTERM under load lose of requests and cut off of answers.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh kills [OPTION…]

Kills the servers and PostgreSQL with SIGKILL at random moments and starts them again, while labs, phones and submission
servers repeat every call until it is answered: first the services that issue TANs, then everything on an upload's path,
the fold included, and data-donation, whose passwords authorise half of the uploads. Afterwards the answers are compared with the
tables: nothing acknowledged may be lost, no TAN and no password may serve two uploads or be used up by a lost answer, no GUID or
teleTAN may open two registrations, and every upload that was answered with 200 is folded once, in full, and into the stream that the
person agreed to, a self-report never into that for other countries. Then it kills federation's exchange, the simulated gateway and PostgreSQL: every key
of the stream for other countries arrives abroad exactly once, no other ever, and every key from there comes exactly once.
Then data-donation, its fold and PostgreSQL: a phone gets one self-report, a password is redeemed once, a donation is folded once.
Then further and PostgreSQL: a report that was acknowledged is published, and nobody is locked out by an answer that was lost.

Then it ends metadata proxies with SIGTERM while 64 clients of HTTP/1.1 and 8 of HTTP/2 ask, at a random moment of the load: every
request that a service got is answered, no answer is cut off, and none that was returned as not taken was passed on. The control,
SIGKILL, has to be found out.

There is no --short: deploy/test.sh does the same with 8 kills, and hostile.sh drain with 6 drains.

  --kills N   kills in each of the five parts (default 200, which take about twelve minutes), or 0
  --drains N  proxies ended with SIGTERM (default 1000), or 0
  --seed N    the seed of the kills' random moments; by default another one each time, which is printed
  --help      this text
TEXT
}

kills=200
drains=1000
seed=$RANDOM
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --kills | --drains | --seed)
            [[ ${2:-} =~ ^(0|[1-9][0-9]{0,6})$ ]] || fail "$1 needs a number from 0 to 9999999."
            case $1 in
                --kills) kills=$2 ;;
                --drains) drains=$2 ;;
                --seed) seed=$2 ;;
            esac
            shift 2
            ;;
        *) fail "The subject kills has no option $1; see --help." ;;
    esac
done

prepare_machine
check_disk "$checkout" 6000
cd "$checkout"

# The tests have PostgreSQLs of their own, which they kill, but for the one of the waves of push messages, which kills the dispatcher only.
# VIGIL_REQUIRE_POSTGRES keeps them from being skipped.
kill_servers() {
    build_debug --build-tests
    say "Killing $kills times in each part, seed $seed …"
    trap stop_postgres EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    start_postgres -c fsync=off
    VIGIL_TEST_POSTGRES="host=$scratch port=5432 user=postgres dbname=postgres" VIGIL_KILLS=$kills VIGIL_KILLS_SEED=$seed \
        VIGIL_REQUIRE_POSTGRES=1 swift test --skip-build --filter KillTests ||
        fail "FAILED with --kills $kills --seed $seed: see what failed above."
    stop_postgres
}

drain_proxies() {
    prepare_python
    build_release
    start_suite
    PYTHONPATH="$PYTHONPATH:$checkout/Tests/Live/hostile" setpriv --pdeathsig TERM \
        "$python" "$checkout/Tests/Live/proof/kills/drains.py" --state "$scratch/state" --programs "$programs" --scratch "$scratch" \
        --drains "$drains" || fail "FAILED: drains; the objections are above."
}

[ "$kills" = 0 ] || kill_servers
[ "$drains" = 0 ] || drain_proxies
say "PROVED: $kills kills in each part with seed $seed, and $drains drains."

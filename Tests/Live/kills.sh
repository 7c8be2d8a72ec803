#!/usr/bin/env bash
# Kills servers and PostgreSQL under load, as often as wanted.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/kills.sh [OPTION…]

Kills the servers and PostgreSQL with SIGKILL at random moments and starts them again, while labs, phones and submission
servers repeat every call until it is answered: first the services that issue TANs, then everything on an upload's path,
the fold included, and data-donation, whose passwords authorise half of the uploads. Afterwards the answers are compared with the
tables: nothing acknowledged may be lost, no TAN and no password may serve two uploads or be used up by a lost answer, no GUID or
teleTAN may open two registrations, and every upload that was answered with 200 is folded once, in full, and into the stream that the
person agreed to, a self-report never into that for other countries. Then it kills federation's exchange, the simulated gateway and PostgreSQL: every key
of the stream for other countries arrives abroad exactly once, no other ever, and every key from there comes exactly once.
Then data-donation, its fold and PostgreSQL: a phone gets one self-report, a password is redeemed once, a donation is folded once.
Then further and PostgreSQL: a report that was acknowledged is published, and nobody is locked out by an answer that was lost.
deploy/test.sh does the same with 8 kills.

  --kills N   kills in each part (default 200, which takes about twelve minutes)
  --seed N    the seed of the random moments; by default another one each time, which is printed
  --help      this text
TEXT
}

kills=200
seed=$RANDOM
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --kills | --seed)
            [[ ${2:-} =~ ^[1-9][0-9]{0,6}$ ]] || fail "$1 needs a number from 1 to 9999999."
            if [ "$1" = --kills ]; then kills=$2; else seed=$2; fi
            shift 2
            ;;
        *) fail "$1 is no option: see bash Tests/Live/kills.sh --help." ;;
    esac
done

prepare_machine
check_disk "$checkout" 6000
cd "$checkout"

build_debug --build-tests

say "Killing $kills times, seed $seed …"
# The tests have PostgreSQLs of their own, which they kill, but for the one of the waves of push messages, which kills the dispatcher only.
# VIGIL_REQUIRE_POSTGRES keeps them from being skipped.
trap stop_postgres EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
start_postgres -c fsync=off
export VIGIL_TEST_POSTGRES="host=$scratch port=5432 user=postgres dbname=postgres"
VIGIL_KILLS=$kills VIGIL_KILLS_SEED=$seed VIGIL_REQUIRE_POSTGRES=1 swift test --skip-build --filter KillTests ||
    fail "FAILED with --kills $kills --seed $seed: see what failed above."
say "PASSED: $kills kills, seed $seed."

#!/usr/bin/env bash
# Measures whether the health portal's memory stays flat while officers work.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Benchmarks/officers.sh [--officers N] [--minutes N]

Builds for release, runs a suite of its own on free ports, signs officers in to its health portal, each with a browser of its own, and lets
each make a code every three minutes on average. Sessions' tokens are refreshed at the provider meanwhile. It prints the portal's
resident memory once a minute, and in the end how much it grew from the first quarter of the time to the last (medians). More than a
tenth is an objection. Other programs may be running meanwhile.

  --officers N  how many (default 200)
  --minutes N   how long (default 60)
  --help        this text
TEXT
}

officers=200
minutes=60
while [ $# -gt 0 ]; do
    case $1 in
        --officers) officers=${2:?--officers needs a number} && shift ;;
        --minutes) minutes=${2:?--minutes needs a number} && shift ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "officers.sh has no option $1; see --help." ;;
    esac
    shift
done
[ "$minutes" -ge 4 ] || fail "--minutes must be 4 at least: quarters are compared."

prepare_machine
check_disk "$checkout" 6000
build_release benchmarks
. "$checkout/Tests/Benchmarks/Rows/portal.sh"
users=$(mktemp)
officers_file "$officers" >"$users"
start_suite --set development-identity.users="$users" --set verification-server.teleTAN.hourlyLimit=100000 \
    --set health-portal.signIn.attemptsPerMinute=10000
portal=$(pgrep -P "$suite" -f '/health-portal( |$)')
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$portal/status"; }

say "Signing $officers officers in …"
"$programs/benchmarks" officers --portal "https://127.0.0.1:$((first_port + 70))" --control "http://127.0.0.1:$((first_port + 83))" \
    --authorities "$scratch/state/certificates/ca.pem" --activity codes --officers "$officers" --pause 180 \
    --seconds $((minutes * 60)) >"$scratch/officers.said" 2>&1 &
load=$!
sampled=()
for minute in $(seq "$minutes"); do
    sleep 60
    sampled+=("$(resident)")
    say "minute $minute: ${sampled[-1]} kB"
done
wait "$load" || fail "The officers were disturbed: $(tail -n 2 "$scratch/officers.said")"

# The median of numbers.
median() { printf '%s\n' "$@" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
quarter=$((minutes / 4))
first=$(median "${sampled[@]:0:quarter}")
last=$(median "${sampled[@]: -quarter}")
say "Officers waited for codes: $(cat "$scratch/officers.said") (milliseconds)"
[ $((last * 10)) -le $((first * 11)) ] || fail "FAILED: memory grew from $first kB to $last kB."
say "FLAT: $first kB in the first quarter, $last kB in the last."

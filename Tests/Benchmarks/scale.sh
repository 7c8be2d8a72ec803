#!/usr/bin/env bash
# Measures what one, two and four machines of services do, and what stops them.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Benchmarks/measuring.sh"

usage() {
    cat <<'TEXT'
bash Tests/Benchmarks/scale.sh [--svg FILE] [--json FILE] [--rounds N] [--seconds N] [--part N] [--database N]

Starts four machines of services on this one, each with a metadata-proxy, a submission-server, a verification-server and a
test-result-server that share a part of a core, and PostgreSQL with another part. Phones then upload keys, and poll for results, at one
machine, at two and at all four, as fast as these answer. It prints for each what was answered in a second, what that is of as many times
the answers of one, the processor time that an answer takes, and how much of the time machines and PostgreSQL had used up their part.

Two cores show what an answer costs and whether machines are in each other's way. They don't show what two cores can't do. Needs root.

  --svg FILE    also draws the rates
  --json FILE   also writes an array of the lines
  --rounds N    rounds, of which the median counts (default 3)
  --seconds N   length of one measurement (default 4)
  --part N      hundredths of a core for each machine (default 20)
  --database N  hundredths of a core for PostgreSQL in a second series (default 10); in the first it has what is left
  --help        this text
TEXT
}

svg=
json=
rounds=3
seconds=4
part=20
database=10
while [ $# -gt 0 ]; do
    case $1 in
        --svg) svg=${2:?--svg needs a file} && shift ;;
        --json) json=${2:?--json needs a file} && shift ;;
        --rounds) rounds=${2:?--rounds needs a number} && shift ;;
        --seconds) seconds=${2:?--seconds needs a number} && shift ;;
        --part) part=${2:?--part needs a number} && shift ;;
        --database) database=${2:?--database needs a number} && shift ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "scale.sh has no option $1; see --help." ;;
    esac
    shift
done
[ "$(id -u)" = 0 ] || fail "scale.sh needs root: it makes control groups."

finish() {
    trap - EXIT
    end_rows
    stop_postgres
    rmdir "$replica_groups/vigil-bench-database" 2>/dev/null || true
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

prepare_rows
submission_prepare
taskset -a -p -c 0,1 "$verification_postgres" >/dev/null
for machine in 1 2 3 4; do replica_start "$machine" "$part"; done

# PostgreSQL's part. $1: hundredths of a core.
limit_database() {
    local id
    replica_group database "$1"
    for id in "$verification_postgres" $(pgrep -P "$verification_postgres"); do
        printf '%s\n' "$id" >"$replica_groups/vigil-bench-database/cgroup.procs"
    done
}

# One measurement. $1: the series; $2: the load; $3: how many machines. Appends a line to $scratch/lines: series, load, machines, answers a
# second, seconds of machines, of PostgreSQL and of phones, shares of the time for which a machine, and PostgreSQL, had nothing left.
scale_measure() {
    local machines ids=() number rate before after throttled database_before
    machines=$(seq "$3")
    for number in $machines; do
        # shellcheck disable=SC2206
        ids+=(${replica_ids[number]})
    done
    submission_reset
    throttled=$(replica_throttled $machines)
    database_before=$(replica_throttled database)
    before="$(ticks "${ids[@]}") $(suite_ticks)"
    rate=$(replica_rate "$2" 64 $machines)
    after="$(ticks "${ids[@]}") $(suite_ticks)"
    [ -n "$rate" ] || fail "A measurement failed: $(tail -n 3 "$scratch/replicas.log")"
    awk -v names="$1 $2 $3" -v rate="$rate" -v before="$before" -v after="$after" -v client="$(cat "$scratch/replica-client")" \
        -v throttled=$(($(replica_throttled $machines) - throttled)) -v n="$3" \
        -v database=$(($(replica_throttled database) - database_before)) 'BEGIN {
            split(before, b, " "); split(after, a, " "); split(client, c, " ")
            printf "%s %.1f %.2f %.2f %.2f %.3f %.3f %d\n", names, rate, (a[1] - b[1]) / 100, (a[2] - b[2]) / 100, c[1],
                throttled / n / c[3] / 100, database / c[3] / 100, c[2] }' >>"$scratch/lines"
}

: >"$scratch/lines"
for series in free limited; do
    # A whole core is more than is ever left.
    if [ "$series" = free ]; then limit_database 100; else limit_database "$database"; fi
    for load in uploads result-polling; do
        say "$load, PostgreSQL $series: $rounds rounds of 3 × $seconds s …"
        for round in $(seq "$rounds"); do
            for number in 1 2 4; do scale_measure "$series" "$load" "$number"; done
        done
    done
done
/usr/bin/python3 "$checkout/Tests/Benchmarks/scale.py" --part "$part" --database "$database" ${svg:+--svg "$svg"} ${json:+--json "$json"} \
    <"$scratch/lines"

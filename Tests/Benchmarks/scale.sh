#!/usr/bin/env bash
# Measures what one, two and four machines of services do, and what stops them.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Benchmarks/measuring.sh"

usage() {
    cat <<'TEXT'
bash Tests/Benchmarks/scale.sh [--country FILE] [--svg FILE] [--json FILE] [--rounds N] [--seconds N] [--part N] [--database N]

Starts four machines of services on this one, each with a metadata-proxy, a submission-server, a verification-server and a
test-result-server that share a part of a core, and PostgreSQL with another part. A standby must confirm each commit. Phones then
call one machine, two and all four, as fast as these answer. The loads:

  uploads         of fourteen keys each, over connections that are kept
  result-polling  the same with questions for results
  country-flows   what phones of a simulated country sent: flows of three requests over a new connection, almost all of them dummies

It prints for each what was answered in a second, what that is of as many times the answers of one, the processor time that an answer
takes in each service, how much of the time machines and PostgreSQL had used up their part, and how many calls, or flows of a country,
weren't answered.

Two cores show what an answer costs and whether machines are in each other's way. They don't show what two cores can't do. Needs root.

  --country FILE  the report.json of `vigil-dev country`; without it, 1,000 people live for three days first
  --svg FILE      also draws the rates
  --json FILE     also writes an array of the lines
  --rounds N      rounds, of which the median counts (default 3)
  --seconds N     length of one measurement (default 4)
  --part N        hundredths of a core for each machine (default 20)
  --database N    hundredths of a core for PostgreSQL in a second series (default 10); in the first it has what is left
  --help          this text
TEXT
}

country=
svg=
json=
rounds=3
seconds=4
part=20
database=10
while [ $# -gt 0 ]; do
    case $1 in
        --country) country=${2:?--country needs a file} && shift ;;
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

# Starts a synchronous standby, as a failover manager has one: commits wait until it has them.
start_standby() {
    local second
    (as_postgres "$postgres_programs/pg_basebackup" -h "$scratch" -U postgres -D "$scratch/standby" -R -c fast --no-sync) ||
        fail "PostgreSQL could not be copied for the standby."
    (as_postgres "$postgres_programs/postgres" -D "$scratch/standby" -c listen_addresses= -c unix_socket_directories="$scratch" \
        -c port=5433 -c max_connections=300 >"$scratch/standby.log" 2>&1) &
    standby=$!
    postgres_sql "ALTER SYSTEM SET synchronous_standby_names = '*'" && postgres_sql "SELECT pg_reload_conf()"
    for second in $(seq 60); do
        [ "$(postgres_value "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")" = 0 ] || return 0
        sleep 1
    done
    fail "The standby doesn't follow: $(tail -n 1 "$scratch/standby.log")"
}

prepare_rows
if [ -z "$country" ]; then
    say "A country lives for three days …"
    country=$scratch/country/report.json
    "${benchmarks%/*}/vigil-dev" country --people 1000 --days 3 --infected 300 --adoption 0.8 --seed 2 --first-port 20000 \
        --report "${country%/*}" >"$scratch/country.log" 2>&1 || fail "The country failed: $(tail -n 3 "$scratch/country.log")"
fi
submission_prepare
taskset -a -p -c 0,1 "$verification_postgres" >/dev/null
start_standby
# Whom a machine has no time for comes again.
loads=("uploads --patient" "result-polling --patient" "country-flows --patient --report $country")
for machine in 1 2 3 4; do
    replica_start "$machine" "$part"
    # The first calls after a start are slow.
    for load in "${loads[@]}"; do
        submission_reset
        [ -n "$(replica_rate "$load" 8 "$machine")" ] || fail "Machine $machine doesn't answer: $(tail -n 1 "$scratch/replicas.log")"
    done
done

# PostgreSQL's part. $1: hundredths of a core.
limit_database() {
    local id
    replica_group database "$1"
    for id in "$verification_postgres" $(pgrep -P "$verification_postgres"); do
        printf '%s\n' "$id" >"$replica_groups/vigil-bench-database/cgroup.procs"
    done
}

# Processor time so far, in ticks: of all machines' test-result-servers, of their verification-servers, submission-servers and proxies, of
# PostgreSQL, of the standby. $@: the machines' numbers.
scale_ticks() {
    local place machine ids of_one
    for place in 0 1 2 3; do
        of_one=()
        for machine in "$@"; do
            read -ra ids <<<"${replica_ids[machine]}"
            of_one+=("${ids[place]}")
        done
        ticks "${of_one[@]}"
    done
    postgres_ticks "$verification_postgres"
    postgres_ticks "$standby"
}

# One measurement. $1: the series; $2: the load; $3: how many machines. Appends a line to $scratch/lines: series, load, machines, answers a
# second, seconds of each kind as scale_ticks has them, of phones, shares of the time for which a machine, and PostgreSQL, had nothing left,
# answers, and calls or flows for which there was no time.
scale_measure() {
    local machines rate before after throttled database_before
    machines=$(seq "$3")
    submission_reset
    # Numbers.
    # shellcheck disable=SC2086
    {
        throttled=$(replica_throttled $machines)
        database_before=$(replica_throttled database)
        before=$(scale_ticks $machines | xargs)
        rate=$(replica_rate "$2" 64 $machines) || true
        after=$(scale_ticks $machines | xargs)
        throttled=$(($(replica_throttled $machines) - throttled))
    }
    [ -n "$rate" ] || fail "A measurement failed: $(tail -n 3 "$scratch/replicas.log")"
    awk -v names="$1 ${2%% *} $3" -v rate="$rate" -v before="$before" -v after="$after" -v client="$(cat "$scratch/replica-client")" \
        -v throttled="$throttled" -v n="$3" -v database=$(($(replica_throttled database) - database_before)) \
        -v unanswered="$(sed -n 's/^unanswered: //p' "$scratch/replicas.log")" 'BEGIN {
            kinds = split(before, b, " "); split(after, a, " "); split(client, c, " ")
            printf "%s %.1f", names, rate
            for (kind = 1; kind <= kinds; kind++) printf " %.2f", (a[kind] - b[kind]) / 100
            printf " %.2f %.3f %.3f %d %d\n", c[1], throttled / n / c[3] / 100, database / c[3] / 100, c[2], unanswered }' >>"$scratch/lines"
}

: >"$scratch/lines"
for series in free limited; do
    # A whole core is more than is ever left.
    if [ "$series" = free ]; then limit_database 100; else limit_database "$database"; fi
    for load in "${loads[@]}"; do
        say "${load%% *}, PostgreSQL $series: $rounds rounds of 3 × $seconds s …"
        for round in $(seq "$rounds"); do
            for number in 1 2 4; do scale_measure "$series" "$load" "$number"; done
        done
    done
done
/usr/bin/python3 "$checkout/Tests/Benchmarks/scale.py" --part "$part" --database "$database" ${svg:+--svg "$svg"} ${json:+--json "$json"} \
    <"$scratch/lines"

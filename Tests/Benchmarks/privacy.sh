#!/usr/bin/env bash
# Measures what each part of the protection of callers costs.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Benchmarks/measuring.sh"

usage() {
    cat <<'TEXT'
bash Tests/Benchmarks/privacy.sh [--rounds N] [--seconds N]

Builds for release, and sends the same requests through nginx and through the metadata proxy, with ever more of the protection of
callers. It prints two tables in Markdown: the processor time that the proxy takes for a request, and what the services behind it take
for a real poll for a test result and for a dummy request. Each figure is the median of the rounds, with the lowest and the highest.

  --rounds N    rounds (default 5)
  --seconds N   length of a short measurement; a long one has three times that (default 2)
  --help        this text
TEXT
}

rounds=5
seconds=2
while [ $# -gt 0 ]; do
    case $1 in
        --rounds) rounds=${2:?--rounds needs a number} && shift ;;
        --seconds) seconds=${2:?--seconds needs a number} && shift ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "privacy.sh has no option $1; see --help." ;;
    esac
    shift
done

finish() {
    trap - EXIT
    end_rows
    stop_postgres
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
prepare_rows

# What passes a request on, from the least protection to the most: a name, the address that the client calls, and what it is.
# With a deadline of 250 ms a connection brings four requests a second at most, so that there are many connections. The proxy refuses
# what would wait for a service behind more than 2,048 others, so that there aren't more.
connections=1000
ways=(
    "forwards http:18982 nginx; removes four fields by name"
    "strips http:18986 nginx; strips every field, pads in JavaScript (njs)"
    "plain http:18984 metadata-proxy; strips every field, pads"
    "secure https:18985 the same, TLS from phones"
    "mutual https:18988 the same, mutual TLS to the service"
    "deadline https:18989 the same, answers leave after 250 ms: all that production has"
)

proxy_padded_prepare
proxy_ours mutual 18988 --tls "$proxy_folder" --upstream https://localhost:18987 --upstream-tls "$proxy_folder"
proxy_ours deadline 18989 --tls "$proxy_folder" --upstream https://localhost:18987 --upstream-tls "$proxy_folder" --deadline 250
proxy_wait 18988 && proxy_wait 18989
# The processes that do the work.
proxy_forwards=$proxy_reference
proxy_strips=$proxy_padding
curl -sf -o "$proxy_folder/answer" --cacert "$proxy_folder/certificate.pem" https://localhost:18989/measure ||
    fail "The proxy with everything doesn't answer: $(tail -qn 2 "$scratch"/*.log)"

# Prints microseconds a request: those of a long measurement that a short one doesn't have, so that the handshakes of the connections
# don't count. $1: the way's name; $2: its address; then further options of wrk.
request_time() {
    local short long
    short=$(request_cost "$seconds" "$@") && long=$(request_cost $((3 * seconds)) "$@") || return
    awk -v short="$short" -v long="$long" 'BEGIN { split(short, s); split(long, l); print (l[1] - s[1]) * 1e4 / (l[2] - s[2]) }'
}

# Prints the processor time in ticks of 10 ms, and the number of requests. $1: how many seconds; then as above.
request_cost() {
    local id=proxy_$2 before after
    kill -0 "${!id}" || fail "$2: the proxy has ended: $(tail -qn 2 "$scratch"/*.log)"
    before=$(ticks "${!id}")
    taskset -c 1 wrk -t 1 -c "$connections" -d "${1}s" -H 'User-Agent: x' -H 'Cookie: a=b' "${@:4}" \
        "${3%:*}://127.0.0.1:${3#*:}/measure" >"$scratch/wrk.out"
    after=$(ticks "${!id}")
    if grep -q Non-2xx "$scratch/wrk.out"; then fail "$2: $(grep Non-2xx "$scratch/wrk.out")"; fi
    awk -v ticks=$((after - before)) '/requests in/ { print ticks, $1 }' "$scratch/wrk.out"
}

# $1: the file with one number a round. Prints the median, lowest and highest.
summary() {
    sort -g "$1" | awk '{ v[NR] = $1 } END {
        printf "%.0f (%.0f to %.0f)", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2, v[1], v[NR] }'
}

for round in $(seq "$rounds"); do
    say "requests, round $round of $rounds: $((2 * ${#ways[@]})) × $((4 * seconds)) s …"
    for way in "${ways[@]}"; do
        read -r name address _ <<<"$way"
        request_time "$name" "$address" >>"$scratch/get-$name"
        request_time "$name" "$address" -s "$proxy_folder/2k.lua" >>"$scratch/post-$name"
    done
done
kill "$proxy_mutual" "$proxy_deadline"
proxy_padded_end

# Everything that serves counts: both servers and PostgreSQL.
verification_prepare
poll_time() {
    local rate
    rate=$(cpu_rate suite_ticks "$verification_server" "$results_server" -- poll_client "$@") || return
    awk -v r="$rate" 'BEGIN { print 1e6 / r }'
}
poll_client() {
    taskset -c 1 "$benchmarks" result-polling --base https://localhost:18910 --folder "$scratch/suite" --tasks 32 \
        --seconds "$seconds" "$@" 2>"$scratch/polls.log" | sed -n 's/.*"operations":\([0-9]*\).*/\1/p'
}
for round in $(seq "$rounds"); do
    say "polls, round $round of $rounds: 2 × $seconds s …"
    poll_time >>"$scratch/poll"
    poll_time --dummies >>"$scratch/dummy"
done

printf '\n| what stands in front of a service | GET | POST, 2 kB |\n|---|---|---|\n'
for way in "${ways[@]}"; do
    read -r name _ words <<<"$way"
    printf '| %s | %s | %s |\n' "$words" "$(summary "$scratch/get-$name")" "$(summary "$scratch/post-$name")"
done
printf '\n| what the services behind take | µs |\n|---|---|\n'
printf '| a poll for a result | %s |\n| a dummy request for one | %s |\n' "$(summary "$scratch/poll")" "$(summary "$scratch/dummy")"

#!/usr/bin/env bash
# Drives a country's peak of downloads through the edge.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Benchmarks/peak.sh [--seconds N] [--rate N]

Starts nginx as deploy/edge/nginx.conf has it, on one package of 21 kB, and asks for it over TLS from this machine, in two ways, each for
half of the time:

  kept   at the given rate on 100 connections of HTTP/2 that are kept, as a CDN asks
  new    as often as the machine can, each request on a TLS connection of its own, as a phone asks

It prints requests a second, requests for each second of the server's processor time, and how long answers took. Server and clients share
the machine's cores: their sum is what limits the rate. It needs the machine alone.

  --seconds N   in all (default 60)
  --rate N      requests a second on kept connections (default 8500)
  --help        this text
TEXT
}

seconds=60
rate=8500
while [ $# -gt 0 ]; do
    case $1 in
        --seconds) seconds=${2:?--seconds needs a number} && shift ;;
        --rate) rate=${2:?--rate needs a number} && shift ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "peak.sh has no option $1; see --help." ;;
    esac
    shift
done

packages+=(wrk nghttp2-client openssl curl)
prepare_machine
prepare_nginx

folder=$(mktemp -d /tmp/vigil-scratch.XXXXXX)
edge=
finish() {
    trap - EXIT INT TERM HUP
    [ -z "$edge" ] || { kill -QUIT "$edge" 2>/dev/null && wait "$edge" 2>/dev/null; } || true
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# MARK: The edge

port=18943
file=version/v1/diagnosis-keys/country/EUR/date/2020-12-29/hour/13
mkdir -p "$folder/published/${file%/*}"
head -c 21504 /dev/urandom >"$folder/published/$file"
openssl ecparam -name prime256v1 -genkey -noout -out "$folder/tls.key" 2>/dev/null
openssl req -new -x509 -key "$folder/tls.key" -out "$folder/tls.pem" -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost 2>/dev/null
cp "$folder/tls.pem" "$folder/ca.pem"
chmod 755 "$folder"
# h2load opens no second connection when a server has ended one after a number of requests.
chmod 644 "$folder/tls.key"
sed -e "s|/tmp/|$folder/|" -e "s|/run/secrets/|$folder/|" -e "s|root /published|root $folder/published|" \
    -e "s|keepalive_timeout 60s;|keepalive_timeout 60s; keepalive_requests 1000000000;|" -e "s|listen 8040 |listen 127.0.0.1:$port |" -e "s|listen 127.0.0.1:8049|listen 127.0.0.1:$((port + 1))|" \
    "$checkout/deploy/edge/nginx.conf" >"$folder/nginx.conf"
"$nginx" -e stderr -c "$folder/nginx.conf" 2>"$folder/output.log" &
edge=$!
for _ in $(seq 100); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    sleep 0.1
done
[ "$(curl -sko /dev/null -w '%{http_version} %{http_code}' "https://localhost:$port/$file")" = "2 200" ] ||
    fail "The edge doesn't answer: $(cat "$folder/output.log")"

# Processor time of all its processes so far, in ticks of 10 ms.
edge_ticks() { for id in "$edge" $(pgrep -P "$edge"); do cat "/proc/$id/stat"; done | awk '{ t += $14 + $15 } END { print t }'; }

# MARK: The peak

half=$((seconds / 2))
say "$rate requests a second for $half seconds, on 100 connections of HTTP/2 …"
before=$(edge_ticks)
h2load -t 1 -c 100 -D "$half" --rps="$(awk -v r="$rate" 'BEGIN { print r / 100 }')" --log-file="$folder/latencies" \
    "https://localhost:$port/$file" >"$folder/h2load.log" 2>&1 || fail "h2load failed: $(tail -n 3 "$folder/h2load.log")"
after=$(edge_ticks)
awk '$2 == 200 { print $3 }' "$folder/latencies" | sort -n >"$folder/sorted"
total=$(wc -l <"$folder/latencies")
awk -v total="$total" -v s="$half" -v t=$((after - before)) '
    { v[NR] = $1 }
    END {
        printf "kept: %.0f requests/s (%d of %d answered 200), %.0f requests/CPU-s of the edge; ", NR / s, NR, total, NR * 100 / t
        printf "half within %.2f ms, 99 %% within %.2f ms, 99.9 %% within %.2f ms\n",
            v[int(NR / 2)] / 1000, v[int(NR * 0.99)] / 1000, v[int(NR * 0.999)] / 1000
    }' "$folder/sorted"

say "As many as the machine can for $half seconds, each on a connection of its own …"
before=$(edge_ticks)
wrk -t 1 -c 64 -d "${half}s" --latency -H 'Connection: close' "https://localhost:$port/$file" >"$folder/wrk.log" ||
    fail "wrk failed: $(tail -n 3 "$folder/wrk.log")"
after=$(edge_ticks)
! grep -q 'Non-2xx' "$folder/wrk.log" || fail "The edge refused requests: $(grep Non-2xx "$folder/wrk.log")"
awk -v t=$((after - before)) -v s="$half" '
    /requests in/ { n = $1 }
    $1 == "50%" { half = $2 }
    $1 == "99%" { most = $2 }
    END { printf "new:  %.0f requests/s, %.0f requests/CPU-s of the edge; half within %s, 99 %% within %s\n", n / s, n * 100 / t, half, most }
' "$folder/wrk.log"

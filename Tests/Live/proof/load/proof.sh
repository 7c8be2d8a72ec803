#!/usr/bin/env bash
# Ten times the load that a listener can answer, beside 10,000 idle and 10,000 slow connections.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh load [--short] [--seconds N] [--crowd N]

Measures how many requests a metadata proxy and an inner listener (mutual TLS, of a test result server) can answer, each with a service
or a database behind it that does little, and offers ten times as many: alone, beside idle connections, and beside ones that send a
header byte by byte, each a third of the time. It objects if less than nine tenths of the capacity are answered within three seconds,
if one answer in a hundred takes longer than that, if a refused request takes more of the processor than a served one, or if the memory
a minute later is more than a fifth above that at rest. What is too late is measured once more. The control, nginx that forwards
everything, has to be found out.

It needs the machine alone, and for 10,000 connections at the inner listener 48,000 open files (ulimit -Hn).

  --short       a few seconds, beside 400 slow connections to the proxy, and 400 idle ones to the inner listener
  --seconds N   of load on each listener (default 600)
  --crowd N     N idle and N slow connections (default 10,000)
  --help        this text
TEXT
}

seconds=600
crowd=10000
short=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --short)
            seconds=6
            crowd=400
            short=(--short)
            shift
            ;;
        --seconds | --crowd)
            [[ ${2:-} =~ ^[1-9][0-9]{0,4}$ ]] || fail "$1 needs a number from 1 to 99999."
            if [ "$1" = --seconds ]; then seconds=$2; else crowd=$2; fi
            shift 2
            ;;
        *) fail "The subject load has no option $1; see --help." ;;
    esac
done
[ "$seconds" -ge 12 ] || [ ${#short[@]} != 0 ] || fail "--seconds needs at least 12: four for each of three measurements."

prepare_machine
prepare_nginx
prepare_haproxy
prepare_python
build_release
start_suite

prove load --nginx "$nginx" --haproxy "$haproxy" --seconds "$seconds" --crowd "$crowd" "${short[@]}"

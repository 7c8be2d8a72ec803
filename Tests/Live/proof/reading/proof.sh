#!/usr/bin/env bash
# One reading of a request and of an answer, ours and that of seven others.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh reading [--short] [--count N] [--seed N] [--only N]

Makes requests by the grammar of RFC 9112, damages them where parsers are known to differ, and gives the same bytes to the parser
of our servers and to nginx, HAProxy, Envoy, Apache and lighttpd as proxies in front of a recorder, llhttp (Node's) and h11. It
objects if we read what a proxy has passed on as another number of requests, another target, host or body than the proxy meant, or
accept what three of them refuse without a reason in Tests/Live/proof/reading/known.py. The same with what our clients write, which
all must read as one request, and with answers, which curl reads, too. The control, naive parsers in the place of ours, must give
findings of every kind.

There are a million connections of requests, and 100,000 of what we write and of answers. Before that a suite is
started, for what its metadata proxy sends to the services.

  --short       3,000, 1,500 and 1,500, without a suite: half a minute
  --count N     N connections of requests, and a tenth of that of the others
  --seed N      other inputs; a number and a seed are always the same input
  --only N      what each makes of the requests with this number
  --help        this text
TEXT
}

count=1000000 others=100000 seed=1 short='' only=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --short) short=yes count=3000 others=1500 ;;
        --count | --seed | --only)
            [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || fail "$1 needs a number."
            case $1 in
                --count) count=$2 others=$(($2 / 10)) ;;
                --seed) seed=$2 ;;
                --only) only=(--only "$2") ;;
            esac
            shift
            ;;
        *) fail "The subject reading has no option $1; see --help." ;;
    esac
    shift
done

packages+=("${peer_packages[@]}")
prepare_machine
prepare_nginx
prepare_haproxy
prepare_lighttpd
prepare_python
prepare_programs
build_debug --product http1-reader

# Each connection is open at both ends.
ulimit -n "$(ulimit -H -n)" 2>/dev/null || true
reading() {
    setpriv --pdeathsig TERM "$python" "$checkout/Tests/Live/proof/reading/reading.py" --reader "$checkout/.build/debug/http1-reader" \
        --nginx "$nginx" --haproxy "$haproxy" --envoy "$envoy" --apache /usr/sbin/apache2 --lighttpd "$lighttpd" --seed "$seed" "$@" ||
        fail "FAILED: reading; the objections are above."
}

# MARK: The proof

if [ ${#only[@]} -gt 0 ]; then
    reading "${only[@]}"
    exit 0
fi
started=$SECONDS
reading --control --count 500 --answers 300
sent=()
if [ -z "$short" ]; then
    build_release
    start_suite
    setpriv --pdeathsig TERM "$python" "$checkout/Tests/Live/proof/reading/sent.py" --state "$scratch/state" --programs "$programs" \
        --scratch "$scratch" || fail "FAILED: what the metadata proxy sends can't be kept; see above."
    sent=(--sent "$scratch/sent")
fi
reading "${sent[@]}" --count "$count" --written "$others" --answers "$others"
say "PROVED: reading in $((SECONDS - started)) seconds."

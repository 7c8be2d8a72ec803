#!/usr/bin/env bash
# Attacks running metadata proxies, and the suite's public listeners, and judges how they react.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/hostile.sh [--long] [CHECK…]

Installs what is missing, builds for release, and attacks metadata proxies of its own on free ports, and what a suite serves to
the public. Each check also runs
on a control, a server that has the fault, and fails if the fault isn't found there. Without a CHECK all of them run, which
takes about eight minutes. Another suite may be running meanwhile.

  smuggling   requests that two readers may understand differently, from Tests/Live/hostile/corpus: only one well-formed
              request may ever reach a service
  http2       each rule of HTTP/2 broken once, the known floods, and h2load, curl and nghttp
  slow        slow headers, bodies and readers (slowhttptest), and 10,000 idle connections
  endless     connections that never end, at every public listener: clients that say nothing more, acknowledge nothing, take
              nothing, or drip
  refusals    clients that don't read their answers, connections kept alive by refused requests, too many connections
  floods      thousands of uploads and donations that stop before their last byte
  overload    ten times the load that the services can answer
  drain       SIGTERM under load
  balancer    callers behind HAProxy (deploy/haproxy), whose limits mustn't become one limit for all of them
  tls         testssl.sh, sslyze, and clients that try to resume sessions

  --long      more of everything; takes about half an hour
  --help      this text

slow, refusals, floods and overload load the machine and demand that others are served meanwhile: they need it alone.
The Python packages live in a virtual environment below $XDG_CACHE_HOME (~/.cache); it is made if it is missing.
TEXT
}

known=(smuggling http2 slow endless refusals floods overload drain tls balancer)
checks=()
options=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --long) options+=(--long) ;;
        *)
            [[ " ${known[*]} " == *" $1 "* ]] || fail "hostile.sh has no option or check $1; see --help."
            checks+=("$1")
            ;;
    esac
    shift
done
[ ${#checks[@]} -gt 0 ] || checks=("${known[@]}")

prepare_machine
prepare_nginx
prepare_haproxy
check_disk "$checkout" 8000

prepare_python
build_release
# The check `balancer` calls from there.
start_suite --set health-portal.listen.proxyProtocol=127.77.0.1

# MARK: The attacks

# As many open files as the system allows, for connections by the thousand.
ulimit -n "$(ulimit -H -n)" 2>/dev/null || true
started=$SECONDS
for check in "${checks[@]}"; do
    # In the foreground, but ended with this script; 20 minutes mean that it hangs.
    run_check "$check" timeout --foreground --kill-after 10 1200 setpriv --pdeathsig TERM \
        "$python" "$checkout/Tests/Live/hostile/$check.py" --state "$scratch/state" --programs "$programs" \
        --scratch "$scratch" --nginx "$nginx" --haproxy "$haproxy" ${options[@]+"${options[@]}"}
done
conclude_checks ": OBJECTION: "
say "SURVIVED: ${checks[*]} in $((SECONDS - started)) seconds."

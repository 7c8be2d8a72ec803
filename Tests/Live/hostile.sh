#!/usr/bin/env bash
# Attacks a running metadata proxy in every way that is known, and judges what it does.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/hostile.sh [--long] [CHECK…]

Installs what is missing, builds, and attacks metadata proxies of its own on free ports. Each check also runs its judge
on something that is wrong on purpose, and fails if the judge doesn't object. Without a CHECK all of them run, which
takes about seven minutes. Another suite may be running meanwhile.

  smuggling   requests that two readers may understand differently, from Tests/Live/hostile/corpus: nothing but one
              well-formed request may ever reach a service
  http2       each rule of HTTP/2 broken once, the known floods, and h2load
  slow        slow headers, bodies and readers (slowhttptest), and 10,000 idle connections
  refusals    connections that ask for what is refused: without reading the answers, for good, or too many of them
  floods      thousands of uploads that stop before their last byte
  overload    ten times what the services can answer
  drain       SIGTERM under load
  tls         testssl.sh, sslyze, and clients that would resume

  --long      more of everything, for about half an hour
  --help      this text

The Python packages live in a virtual environment below $XDG_CACHE_HOME (~/.cache); it is made if it is missing.
TEXT
}

known=(smuggling http2 slow refusals floods overload drain tls)
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
check_disk "$checkout" 8000

prepare_python
build_release
start_suite

# MARK: The attacks

# As many open files as the system allows, for connections by the thousand.
ulimit -n "$(ulimit -H -n)" 2>/dev/null || true
started=$SECONDS
for check in "${checks[@]}"; do
    # In the foreground, but ended with this script; 20 minutes mean that it hangs.
    run_check "$check" timeout --foreground --kill-after 10 1200 setpriv --pdeathsig TERM \
        "$python" "$checkout/Tests/Live/hostile/$check.py" --state "$scratch/state" --programs "$programs" \
        --scratch "$scratch" --nginx "$nginx" ${options[@]+"${options[@]}"}
done
conclude_checks ": OBJECTION: "
say "SURVIVED: ${checks[*]} in $((SECONDS - started)) seconds."

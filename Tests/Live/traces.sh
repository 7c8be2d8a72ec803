#!/usr/bin/env bash
# Shows that the proxy's answers and the services behind it reveal nothing about a caller, neither by length nor by content.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/traces.sh [sizes|canaries] [--requests N] [--deadline N]

Installs what is missing, builds for release, and runs a suite of its own in a network namespace of its own, which no other
program sees.

  sizes          sends requests with every kind of outcome to the metadata proxy, over TLS 1.2 and 1.3, HTTP/1.1 and
                 HTTP/2, and captures the packets: the lengths of the TLS records must be the same for all outcomes.
                 The control is nginx in the proxy's place: its lengths must be found to differ.
  canaries       sends requests full of recognisable values, each from an address of its own, and searches for these values
                 behind the proxy, in all logs and metrics, and in the whole state folder with the database and its
                 write-ahead log. The control is nginx in the proxy's place: the same search must find its traces.

  --requests N   canary requests, from 100 (default 400)
  --deadline N   the proxy's answers.deadline in milliseconds (default 250)
  --help         this text

Without a name both run, which takes less than three minutes. Needs root, or that users may create network namespaces
(kernel.unprivileged_userns_clone); sudo is used to install packages only.
TEXT
}

given=("$@")
checks=()
requests=400
deadline=250
inside=
while [ $# -gt 0 ]; do
    case $1 in
        sizes | canaries) checks+=("$1") ;;
        --requests | --deadline)
            [[ ${2:-} =~ ^[1-9][0-9]{0,6}$ ]] || fail "$1 needs a number from 1 to 9999999."
            if [ "$1" = --requests ]; then requests=$2; else deadline=$2; fi
            shift
            ;;
        # By which the script calls itself.
        --in-own-network) inside=yes ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "traces.sh has no option $1; see --help." ;;
    esac
    shift
done
[ "$requests" -ge 100 ] || fail "--requests needs at least 100, so that every kind of request is among them."
[ ${#checks[@]} -gt 0 ] || checks=(sizes canaries)

if [ -z "$inside" ]; then
    prepare_machine
    check_disk "$checkout" 6000
fi
prepare_python
prepare_nginx
if [ -z "$inside" ]; then
    build_release
    # In a user namespace of its own, a user other than root has root's rights over the network.
    own_network=(unshare --net)
    [ "$(id -u)" = 0 ] || own_network=(unshare --user --map-current-user --keep-caps --net)
    "${own_network[@]}" true ||
        fail "This user can make no network: run this as root, or allow it (kernel.unprivileged_userns_clone=1)."
    exec "${own_network[@]}" bash "${BASH_SOURCE[0]}" --in-own-network "${given[@]}"
fi
ip link set lo up

# One upload spends a registration.
start_suite --set verification-server.tan.perRegistration=1 \
    --set "metadata-proxy.limits.requests=10000000" --set "metadata-proxy.limits.registrations=10000000" \
    --set "metadata-proxy.limits.refusedRegistrations=10000000" \
    --set "metadata-proxy.limits.pushRegistrations=10000000" --set "metadata-proxy.limits.donations=10000000" \
    --set "metadata-proxy.limits.further=10000000" \
    --set "test-result-server.positives.hourlyLimit=1000000" \
    --set "metadata-proxy.answers.deadline=$deadline" --set "verification-server.teleTAN.officerHourlyLimit=1000"
started=$SECONDS
for check in "${checks[@]}"; do
    mkdir "$scratch/$check"
    arguments=("$scratch/state" "$scratch/$check" "$programs" "$nginx")
    [ "$check" = sizes ] || arguments+=("$requests")
    run_check "$check" "$python" "$checkout/Tests/Live/traces/$check.py" "${arguments[@]}"
done
conclude_checks
say "NO TRACE: ${checks[*]} in $((SECONDS - started)) seconds."

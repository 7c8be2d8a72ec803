#!/usr/bin/env bash
# Tries the edge and the CDN configuration of deploy/edge on a published tree.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/cdn.sh

Installs what is missing, builds, runs a suite of its own on free ports, puts the edge (deploy/edge/nginx.conf) before its published
tree and the CDN (deploy/edge/cdn.conf) before the edge, and checks each setting that deploy/edge/README.md names. Takes a minute. The
lifetimes of minutes and days are seconds here.

  --help   this text
TEXT
}

while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "cdn.sh has no option $1; see --help." ;;
    esac
done

prepare_machine
check_disk "$checkout" 6000
prepare_nginx
build_debug
[ -n "${VIGIL_PROGRAMS:-}" ] || programs="$checkout/.build/debug"
start_suite
/usr/bin/python3 "$checkout/Tests/Live/cdn/check.py" "$nginx" "$scratch" "$programs" $((first_port + 190)) ||
    fail "FAILED: the objections are above."

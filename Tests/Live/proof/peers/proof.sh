#!/usr/bin/env bash
# HTTP/2 with Chromium, and with Envoy and HAProxy in front: bodies, many streams, resets, drains.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh peers [--short]

Envoy and HAProxy pass requests on by HTTP/2 to two metadata proxies, whose certificate they verify, and Chromium sends its own
through a TCP proxy. Each asks by GET, posts more than a window holds, posts on 100 streams at one time, stops in the middle of
bodies, and posts while one of the proxies gets SIGTERM. It objects if an answer is missing, cut or another request's, if a service
gets another body than was sent, half a body or one twice, and if what a proxy refuses when it ends isn't repeated by the peer at
the other. The control, a server that cuts bodies, ignores resets and ends without a word, has to be found out in each of these.

  --short       one drain with each peer instead of five
  --help        this text
TEXT
}

options=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --short) options+=(--short) ;;
        *) fail "The subject peers has no option $1; see --help." ;;
    esac
    shift
done

packages+=("${browser_packages[@]}")
prepare_machine
prepare_haproxy
prepare_python
prepare_programs
build_release
start_suite

prove peers --haproxy "$haproxy" --envoy "$envoy" "${options[@]}"

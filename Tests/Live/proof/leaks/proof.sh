#!/usr/bin/env bash
# What a million requests and 100,000 handshakes leave behind in memory, files and C's objects.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh leaks [--short] [--requests N] [--handshakes N]

Asks a metadata proxy and an inner listener of a verification server (mutual TLS) over HTTP/1.1 and HTTP/2, and opens connections to
both: a third for one request, a third that the client resets in the middle of the handshake, and a third that the server refuses,
because of a stranger's certificate or of the ciphers. A library below both (Tests/Live/proof/leaks/counts.c) counts the blocks of
memory that they hold, those of OpenSSL among them, and objects of OpenSSL, nghttp2 and libpq. It objects if there are more when the
server is at rest again than there were after the first few thousand, or more open files, or a tenth more memory. The control, a proxy
that loses each hundredth block that OpenSSL frees, has to be found out.

  --short           a few thousand
  --requests N      N requests (default 1,000,000)
  --handshakes N    N handshakes (default 100,000)
  --help            this text
TEXT
}

requests=1000000
handshakes=100000
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --short)
            requests=2000
            handshakes=300
            shift
            ;;
        --requests | --handshakes)
            [[ ${2:-} =~ ^[1-9][0-9]{2,8}$ ]] || fail "$1 needs a number of at least 100."
            if [ "$1" = --requests ]; then requests=$2; else handshakes=$2; fi
            shift 2
            ;;
        *) fail "The subject leaks has no option $1; see --help." ;;
    esac
done

packages+=(gcc)
prepare_machine
prepare_nginx
prepare_haproxy
prepare_python
build_release
start_suite

gcc -O2 -Wall -Wextra -Werror -shared -fPIC -I/usr/include/postgresql -o "$scratch/counts.so" \
    "$checkout/Tests/Live/proof/leaks/counts.c" -lcrypto || fail "counts.c can't be compiled: see above."
prove leaks --nginx "$nginx" --haproxy "$haproxy" --counts "$scratch/counts.so" --requests "$requests" --handshakes "$handshakes"

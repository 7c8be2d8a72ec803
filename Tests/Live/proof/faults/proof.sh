#!/usr/bin/env bash
# Faults below and beside a server: system calls, pieces, memory, clocks, names, resets.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh faults [--short] [--only KIND] [--seed N] [--point CALL,ERRNO,WHEN]

Starts a metadata proxy in front of a recorder, and a test-result-server with PostgreSQL, and lets go wrong what can while they serve:

  calls       every system call that they make fails in every way that fits, for a while and at the start (strace -e inject)
  resets      a peer resets at each byte of a handshake, a request and an answer, on the callers' and on the services' side
  pieces      all sockets carry one byte a call, and some calls end with EINTR or EAGAIN
  memory      allocations fail inside OpenSSL, nghttp2 and libpq
  names       DNS fails, is silent, or lies, for the proxy's services
  clock       the wall clock is set forward and back

At every point the program answers as the contract says, refuses or closes; it doesn't end, spin, log without bounds or give anybody
another's answer; it serves those who aren't concerned, and everybody when the fault has ended. What it has acknowledged is in the
table. A program may end where calls.py says so, since Swift ends one without memory. The control, a naive server in C, must be
objected to in each kind. Needs root, for namespaces.

  --short       a few points of each kind: half a minute
  --only KIND   this kind
  --seed N      other points where they are drawn
  --point …     of the kind calls only this one, in the words of strace(1), such as accept4,EMFILE,1+
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
        --short)
            options+=(--short)
            shift
            ;;
        --only | --seed | --point)
            case $1 in
                --only) [[ ${2:-} =~ ^(calls|resets|pieces|memory|names|clock)$ ]] || fail "--only needs a kind; see --help." ;;
                --seed) [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || fail "--seed needs a number." ;;
                --point) [[ ${2:-} =~ ^[a-z0-9_]+,[A-Z]+,[0-9.+]+$ ]] || fail "--point needs a call, an error and when, with commas." ;;
            esac
            options+=("$1" "$2")
            shift 2
            ;;
        *) fail "The subject faults has no option $1; see --help." ;;
    esac
done

# A kind in the namespaces mounts a file.
[ "$(id -u)" = 0 ] || fail "The subject faults needs root: run it with sudo."
packages+=(gcc)
prepare_machine
prepare_python
build_release
start_suite --only metadata-proxy,test-result-server --no-story
for program in naive shim.so; do
    compile=(cc -O2 -Wall -Wno-unused-result -o "$scratch/$program" "$checkout/Tests/Live/proof/faults/${program%.so}.c")
    [ "$program" = naive ] || compile+=(-shared -fPIC)
    "${compile[@]}" -lcrypto -ldl || fail "The compiler doesn't take $program: see above."
done

prove faults ${options[@]+"${options[@]}"}

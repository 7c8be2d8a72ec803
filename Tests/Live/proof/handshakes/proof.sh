#!/usr/bin/env bash
# Handshakes of phones, and those of clients that break the rules of TLS.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh handshakes [--short] [--seed N]

Attacks the metadata proxy's public listener and one between services, which wants certificates. Safari and Chrome must be served
as they greet (curl-cffi), also in one-byte records and segments and with what nobody knows. Hellos that are cut at every byte,
damaged, doubled, too long or no hellos, clients of OpenSSL that resume, send early data, renegotiate, flood with 100,000 changes of
keys or close half, and clients of tlslite-ng that break a rule behind the hello must be refused or answered as the rules say. All
connections have to end in time, and leave no descriptor, no memory, no line in the log that tells of a caller, and nobody who waits.
The controls are servers with each fault, and the same clients without a breach.

  --short       a part of each kind: 25 seconds
  --seed N      other inputs
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
        --seed)
            [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || fail "$1 needs a number."
            options+=("$1" "$2")
            shift
            ;;
        *) fail "The subject handshakes has no option $1; see --help." ;;
    esac
    shift
done

prepare_machine
prepare_python
build_release

start_suite --no-story --only metadata-proxy,verification-server
prove handshakes ${options[@]+"${options[@]}"}

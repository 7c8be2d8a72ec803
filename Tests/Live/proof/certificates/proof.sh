#!/usr/bin/env bash
# Verdicts on chains of certificates and on requests for them, ours and those of OpenSSL and cryptography.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh certificates [--short] [--count N] [--seed N]

Makes chains with up to three things that are odd or wrong: times, signatures, keys, usages, depth, loops, names and constraints on
them, megabytes of names, extensions, versions, encodings. A client of ours judges servers, a listener of ours callers and their
roles, App Attest its chain, and each certificate and each laboratory's request is read alone. It objects if we accept what OpenSSL
(strict, security level 2) and PyPI's cryptography both refuse, or refuse what both accept, without a reason in
Tests/Live/proof/certificates/explained.tsv; if a role or a field is read as another; and if the program ends, or takes more than
two seconds or 256 MiB. The control, verification that accepts every chain, has to be found out.

There are 100,000 chains.

  --short       as many chains as 12 seconds allow
  --count N     N chains
  --seed N      other chains
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
        --count | --seed)
            [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || fail "$1 needs a number."
            options+=("$1" "$2")
            shift 2
            ;;
        *) fail "$1 is no option; see --help." ;;
    esac
done

prepare_machine
prepare_python
build_debug --product verdicts
exec "$python" "$checkout/Tests/Live/proof/certificates/check.py" "${options[@]}"

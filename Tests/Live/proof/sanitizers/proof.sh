#!/usr/bin/env bash
# All tests and attacks with the sanitizers of addresses, of leaks and of threads.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd -P)

case ${1:-} in
    '') ;;
    -h | --help)
        cat <<'TEXT'
bash Tests/Live/proof.sh sanitizers

Runs Tests/sanitize.sh, which has further options, with `address` and with `thread`: two builds, and each test and each attack of
Tests/Live/hostile.sh twice. There is no short form: the builds alone would take continuous integration too long.
TEXT
        exit 0
        ;;
    *)
        printf 'The subject sanitizers has no option %s; see --help.\n' "$1" >&2
        exit 1
        ;;
esac
for kind in address thread; do bash "$checkout/Tests/sanitize.sh" "$kind"; done

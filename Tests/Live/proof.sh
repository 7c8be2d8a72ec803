#!/usr/bin/env bash
# Tries to break what the server promises: one subject of proof, by its name.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"
proof="$checkout/Tests/Live/proof"

usage() {
    cat <<'TEXT'
bash Tests/Live/proof.sh SUBJECT [OPTION…]

Tries to break one promise of the server with many inputs, peers or faults, and says how many it tried and what it found. Each
subject has a control, a planted fault that it must find. Each says --help, which names its options; most have --short, which is
little enough for continuous integration.

Without an option it is the whole subject. If that holds, what it said is kept in Tests/Live/proof/SUBJECT/figures.txt, to which
the page "What the server promises" (Tests/Live/proof/README.md) refers.

TEXT
    local subject
    for subject in "$proof"/*/proof.sh; do
        printf '  %-14s%s\n' "$(basename "${subject%/proof.sh}")" "$(sed -n '2s/^# //p' "$subject")"
    done
}

case ${1:-} in
    -h | --help)
        usage
        exit 0
        ;;
    '') fail "proof.sh needs a subject; see --help." ;;
esac
if [[ ! $1 =~ ^[a-z0-9-]+$ ]] || [ ! -f "$proof/$1/proof.sh" ]; then
    fail "There is no subject $1; see bash Tests/Live/proof.sh --help."
fi
subject=$1
shift
[ $# = 0 ] || exec bash "$proof/$subject/proof.sh" "$@"

said=$(mktemp)
trap 'rm -f "$said"' EXIT
version=$(git -C "$checkout" describe --always --dirty 2>/dev/null || echo "an unknown version")
load=$(cut -d ' ' -f 1 /proc/loadavg)
bash "$proof/$subject/proof.sh" | tee "$said"
{
    printf 'bash Tests/Live/proof.sh %s\n' "$subject"
    printf '%s, %s; %d cores, load %s at the start; %d seconds\n\n' "$version" "$(date +%F)" "$(nproc)" "$load" "$SECONDS"
    # Without progress.
    grep -v '…$' "$said"
} >"$proof/$subject/figures.txt"

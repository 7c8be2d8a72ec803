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
subject has a control, a planted fault that it must find. Each says --help, which names its options; all but kills have --short, the
part that continuous integration runs.

TEXT
    local subject
    for subject in "$proof"/*/proof.sh; do
        printf '  %-12s%s\n' "$(basename "${subject%/proof.sh}")" "$(sed -n '2s/^# //p' "$subject")"
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
exec bash "$proof/$subject/proof.sh" "$@"

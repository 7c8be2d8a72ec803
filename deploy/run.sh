#!/usr/bin/env bash
# Builds the suite and runs it on this machine.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/run.sh [OPTION…]

Installs the system packages that are missing (apt-get, as root or with sudo), builds, starts every service and a private
PostgreSQL on this machine, plays the story through them, and leaves them running until Ctrl-C.

  --story            end after the story: with 0, or with the number of the step that failed
  --fresh            begin with an empty state folder
  --state FOLDER     the state folder (.vigil in the checkout)
  --first-port N     the metadata proxy's port (8000); the others follow it
  --at INSTANT       the instant that the services take for now (ISO 8601)
  --help             this text
TEXT
}

state=("--state" "$checkout/.vigil")
for argument in "$@"; do
    case $argument in
        -h | --help)
            usage
            exit 0
            ;;
        --state | --state=*) state=() ;;
    esac
done

prepare_machine
check_disk "$checkout" 6000
# Whoever sets VIGIL_BUILT has built everything.
if [ -z "${VIGIL_BUILT:-}" ]; then
    say "Building; the first time this takes some minutes …"
    swift build --package-path "$checkout" --explicit-target-dependency-import-check error ||
        fail "The build failed: see what the compiler says above."
fi
exec "$checkout/.build/debug/vigil-dev" up ${state[@]+"${state[@]}"} --set "distribution.static=$checkout/deploy/static" "$@"

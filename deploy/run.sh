#!/usr/bin/env bash
# Builds the suite and runs it on this machine.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/run.sh [OPTION…]

Installs missing system packages (apt-get, as root or with sudo), builds, starts every service and a private PostgreSQL on this
machine, plays the story through them, and leaves them running until Ctrl-C.

  --story            exit after the story, with 0 or the number of the failed step
  --no-story         play no story, so that the running hour stays open
  --fresh            start with an empty state folder
  --state FOLDER     state folder (default: .vigil in the checkout)
  --first-port N     port of the metadata proxy (default: 8000); the other ports follow it
  --country CC       the suite's country (default: DE)
  --time-zone ZONE   the authority's time zone (default: Europe/Berlin)
  --at INSTANT       instant that the services use as the current time (ISO 8601)
  --help             show this text
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
# VIGIL_BUILT says that everything is already built.
if [ -z "${VIGIL_BUILT:-}" ]; then
    say "Building; the first time this takes some minutes …"
    swift build --package-path "$checkout" --explicit-target-dependency-import-check error ||
        fail "The build failed: see what the compiler says above."
fi
exec "$checkout/.build/debug/vigil-dev" up ${state[@]+"${state[@]}"} --set "distribution.static=$checkout/deploy/static" "$@"

#!/usr/bin/env bash
# Runs the smoke test against a suite, then with one thing broken at a time: it must say which.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/smoke.sh [--country PL --time-zone Europe/Warsaw]

Installs what is missing, builds, and runs a suite of its own on free ports. deploy/smoke.sh must pass there, with a code made at the
simulated provider and with one that is passed. Then one thing at a time is broken: it must end with 1 at the step that needs it, and
say what is broken and what to do. Takes a minute.

  --country, --time-zone   run the suite of another country than Germany
  --help                   this text
TEXT
}

country=()
while [ $# -gt 0 ]; do
    case $1 in
        --country | --time-zone) country+=("$1" "${2:?$1 needs a value}") && shift ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "smoke.sh has no option $1; see --help." ;;
    esac
    shift
done

prepare_machine
check_disk "$checkout" 6000
prepare_python
build_debug
[ -n "${VIGIL_PROGRAMS:-}" ] || programs="$checkout/.build/debug"
start_suite --no-story --set "distribution.static=$checkout/deploy/static" ${country[@]+"${country[@]}"}

"$python" "$checkout/Tests/Live/smoke/check.py" "$scratch" "$programs" "$first_port" || fail "FAILED: the objections are above."

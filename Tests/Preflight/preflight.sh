#!/usr/bin/env bash
# Tests deploy/preflight.sh and the pages that tell an operator what to run.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
case ${1:-} in
    "") ;;
    -h | --help)
        cat <<'TEXT'
bash Tests/Preflight/preflight.sh

Tests deploy/preflight.sh: the rules of settings against the files of Compose, each finding by a machine on which it is provoked, and the
commands of deploy/going-live.md. No engine runs. It takes seconds.
TEXT
        exit 0
        ;;
    *)
        echo "preflight.sh has no option $1; see --help." >&2
        exit 1
        ;;
esac
cd "$checkout/Tests/Preflight"
exec /usr/bin/python3 -B -W error -m unittest --quiet settings_test preflight_test going_live_test

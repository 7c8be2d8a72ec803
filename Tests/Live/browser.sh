#!/usr/bin/env bash
# Tries the health portal in a real browser.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/browser.sh [--screenshots FOLDER] [--country PL --time-zone Europe/Warsaw] [CHECK …]

Installs what is missing, builds, runs a suite of its own on free ports, and signs in to its health portal with Chromium, as officers
do. Takes three minutes. Another suite may be running meanwhile.

  --screenshots FOLDER   keeps a picture of each page
  --country, --time-zone run the suite of another country than Germany
  --help                 this text

CHECK is codes, sessions, attacks, outages, figures, venues or pages; without one, all run. `pages` looks at every page in both languages:
barriers (axe, WCAG 2.2 AA), overflow at 320 pixels and 400 % zoom, forced colours, no scripts, the keyboard alone, valid HTML (Nu),
and no violation of the content security policy.
TEXT
}

screenshots=
checks=()
country=()
while [ $# -gt 0 ]; do
    case $1 in
        --country | --time-zone) country+=("$1" "${2:?$1 needs a value}") && shift ;;
        --screenshots) screenshots=${2:?--screenshots needs a folder} && shift ;;
        -h | --help)
            usage
            exit 0
            ;;
        codes | sessions | attacks | outages | figures | venues | pages) checks+=("$1") ;;
        *) fail "browser.sh has no check or option $1; see --help." ;;
    esac
    shift
done

packages+=("${browser_packages[@]}")
prepare_machine
check_disk "$checkout" 6000
prepare_python
build_debug
programs="$checkout/.build/debug"
# Each check signs in more often in a minute than an office does.
start_suite --set health-portal.signIn.attemptsPerMinute=10000 ${country[@]+"${country[@]}"}
! grep '^The story failed' "$scratch/up.log" || fail "FAILED: the story, before the checks: $(tail -n 3 "$scratch/up.log")"
[ -z "$screenshots" ] || mkdir -p "$screenshots"
"$python" "$checkout/Tests/Live/browser/check.py" "$scratch" "$programs" "$screenshots" ${checks[@]+"${checks[@]}"} ||
    fail "FAILED: the objections are above."

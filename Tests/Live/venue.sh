#!/usr/bin/env bash
# Tries the venue owners' page in a real browser.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"
export PYTHONPATH="$checkout/Tests/Live" PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1

usage() {
    cat <<'TEXT'
bash Tests/Live/venue.sh [--codes N] [--screenshots FOLDER]
bash Tests/Live/venue.sh policy

Installs what is missing, serves deploy/edge/venue.html with nginx and deploy/edge/nginx.conf, and makes posters with Chromium, from
there and from the file: texts in both languages, links, QR codes (zbar reads them), connections, seeds, paper sizes, barriers (axe,
WCAG 2.2 AA), the keyboard alone, valid HTML (Nu). Takes less than a minute and needs no build.

  --codes N              how many random codes zbar reads (500); 10000 take a minute
  --screenshots FOLDER   keeps pictures and prints of the page
  --help                 this text

policy writes the digests of the page's scripts and styles into the page and into nginx.conf: run it after each change of these.
TEXT
}

codes=500
screenshots=
while [ $# -gt 0 ]; do
    case $1 in
        policy) exec python3 "$checkout/Tests/Live/venue/policy.py" ;;
        --codes)
            [[ ${2:-} =~ ^[1-9][0-9]{0,5}$ ]] || fail "--codes needs a number from 1 to 999999."
            codes=$2 && shift
            ;;
        --screenshots) screenshots=${2:?--screenshots needs a folder} && shift ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "venue.sh has no option $1; see --help." ;;
    esac
    shift
done

packages+=("${browser_packages[@]}")
install_packages
prepare_python
prepare_nginx
[ -z "$screenshots" ] || mkdir -p "$screenshots"
scratch=$(mktemp -d /tmp/vigil-scratch.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
"$python" "$checkout/Tests/Live/venue/check.py" "$nginx" "$scratch" "$codes" "$screenshots" ||
    fail "FAILED: the objections are above."

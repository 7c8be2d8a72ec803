#!/usr/bin/env bash
# Uses each door of the running containers once, as those outside do.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/smoke.sh [--compose COMMAND] [OPTION of vigil-dev smoke …]
bash deploy/smoke.sh [--compose COMMAND] --one-time-code

Run it on the machine of the containers, after `docker compose up -d --wait` and after each upgrade or restore. Through the published
ports, a laboratory posts a result; a phone registers the test, asks for the result, gets a TAN and uploads a key; an officer's code is
redeemed by another phone, which uploads, too; the configuration of both apps and the newest package are downloaded and verified. Each
step prints what was seen and how long it took. The first failure says what happened and what to do, and ends the script with 1.

Options of vigil-dev smoke:

  --apps URL, --downloads URL, --laboratories URL, --portal URL
                      the doors' addresses as callers type them. The usual ports of localhost are the defaults, and for the
                      portal the first of VIGIL_PORTAL_ORIGINS. Pass them if the doors have certificates of a public authority:
                      --apps https://apps.example.org
  --code CODE         the ten characters of a code that an officer has just made at the portal. Needed only if the identity provider
                      is a real one: at the simulated one the script has a code made itself. Without it, the step is skipped
  --lab NAME          the laboratory's folder in .secrets/callers (lab). `bash deploy/secrets.sh lab smoke` makes lab-smoke

In production it leaves one positive result of a laboratory, one registered test, and two uploads of one key each, as few as there can
be. The public sees nothing of it: the keys' risk level is 1, and lower ones than VIGIL_LOWEST_RISK_LEVEL aren't published or sent to
other countries. If that is 1, they are published; but no phone can match a key that nobody broadcasts. They leave the database within
two days. The authority's figures count the result, the test, the two uploads and the code. Figures are released rounded to tens (codes:
to fives), so a test now and then changes at most the last step; don't run it every hour. Results have the labId smoke-test.

  --one-time-code     only prints the simulated officer's one-time code, for a browser
  --compose COMMAND   command that runs compose (default: docker compose)
  --help              this text

VIGIL_PROGRAMS=FOLDER in the environment runs that folder's vigil-dev instead of the image of that name, which is built first if it
doesn't exist.
TEXT
}

compose="docker compose"
options=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --compose) compose=${2:?--compose needs a command} && shift ;;
        --one-time-code) options=(one-time-code) ;;
        *) options+=("$1") ;;
    esac
    shift
done
cd "$checkout"
folder=$(secrets_folder)
[ -d "$folder/callers" ] || fail "There is no folder $folder/callers: run bash deploy/secrets.sh first."

[ "${options[0]:-}" != one-time-code ] || options=(one-time-code --computed)
if [ -n "${VIGIL_PROGRAMS:-}" ]; then
    [ "${options[0]:-}" = one-time-code ] || options=(smoke --callers "$folder/callers" "${options[@]}")
    exec "$VIGIL_PROGRAMS/vigil-dev" "${options[@]}"
fi
command -v "${compose%% *}" >/dev/null || fail "${compose%% *} is not installed, or not on the PATH."
if [ "${options[0]:-}" = one-time-code ]; then
    # shellcheck disable=SC2086
    exec $compose run --rm --no-deps -T --entrypoint vigil-dev smoke "${options[@]}"
fi
# The command is split into words on purpose.
# shellcheck disable=SC2086
simulators=$($compose ps --services --status running 2>/dev/null | grep '^development-' | paste -sd, || true)
# As the owner of the callers' files, which nobody else can read.
# shellcheck disable=SC2086
exec $compose run --rm --no-deps -T --user "$(stat -c %u:%g "$folder/callers")" smoke \
    --simulators "$simulators" ${options[@]+"${options[@]}"}

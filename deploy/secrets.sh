#!/usr/bin/env bash
# Makes the certificates and secrets that docker-compose.yml hands out.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/secrets.sh [--compose COMMAND] [lab NAME | quick-test NAME | pocnat NAME]

Makes what is missing of the certificates and secrets of the suite in containers. It needs Docker and nothing else: the command
`vigil` does it, in a container of its own that has no network; if there is no image yet, it is built first, which takes long.

Whatever exists is kept, so it may be run at any time; run it once a week, because certificates that expire within 30 days are
made anew, and running services take them into use within ten seconds. PostgreSQL is told of its own.

With a role and a name, a laboratory or test centre has a certificate of its own besides, in callers/ROLE-NAME. The name (lower-case
letters, digits, hyphens) stays with the results that are posted with it: one certificate for each, and never the same name for
two. Those without a name, such as callers/lab, are for trying out.

Everything lies in the folder .secrets beside docker-compose.yml, or in the one that VIGIL_SECRETS names:

  files/     one file for each secret, readable by the user of the container that needs it (10001; 999 is PostgreSQL, 65534
             Prometheus) and by root. A file that you put here yourself, such as public.pem and public.key of a public authority, is kept.
             denied is the list of certificates that nobody accepts any more: add to it, don't replace the file
  callers/   yours: what laboratories, test centres and the portal need (tls.pem, tls.key, ca.pem), and
             export-signing-public.pem, which apps are built with
  state/     root's: the private authority with its key, and in certificates/issued the fingerprint of each certificate it made. Keep a copy in a safe place

  --compose COMMAND   what runs compose (docker compose)
  --help              this text
TEXT
}

compose="docker compose"
partner=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        lab | quick-test | pocnat) partner=("$1" "${2:?$1 needs a name}") && shift ;;
        --compose) compose=${2:?--compose needs a command} && shift ;;
        *) fail "secrets.sh has no option $1; see --help." ;;
    esac
    shift
done
command -v "${compose%% *}" >/dev/null || fail "${compose%% *} is not installed, or not on the PATH."
cd "$checkout"

folder=${VIGIL_SECRETS:-}
# Compose reads this file, too.
[ -n "$folder" ] || [ ! -f .env ] || folder=$(sed -n 's/^VIGIL_SECRETS=//p' .env | tail -n 1)
folder=${folder:-./.secrets}
mkdir -p "$folder"
chmod 700 "$folder"

say "Making what is missing in $folder …"
# The words of the command are meant to be split.
# shellcheck disable=SC2086
$compose run --rm --no-deps -T secrets ${partner[@]+"${partner[@]}"} ||
    fail "The secrets could not be made: see above what docker or vigil says."
# PostgreSQL looks at its certificate when it is told to; no metric says when the one in use expires, and then nobody gets in.
# shellcheck disable=SC2086
if $compose ps --services --status running 2>/dev/null | grep -x postgres >/dev/null; then
    # Not by a signal: for Docker that is the end of the restart policy, whatever the signal is (moby 41302).
    $compose exec -T postgres psql -X -q -d vigil -c 'SELECT pg_reload_conf()' >/dev/null
fi
say "Everything is in $folder. Next: docker compose up -d"

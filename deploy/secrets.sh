#!/usr/bin/env bash
# Creates the certificates and secrets that docker-compose.yml mounts.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/secrets.sh [--compose COMMAND] [--no-preflight] [ROLE NAME [--csr FILE]]
bash deploy/secrets.sh [--compose COMMAND] list [--expiring DAYS] [--json]

Creates the missing certificates and secrets of the suite in containers. Only Docker is needed: the command `vigil` does the work
in a separate container without a network. If its image doesn't exist yet, it is built first, which takes long. Before that,
deploy/preflight.sh looks for what keeps the suite from starting. At the first start nothing is made until that is corrected; later
its findings are printed only, because certificates have to be renewed all the same.

Existing files are kept, so you can run this script at any time. Run it once a week: it renews certificates that expire within 30
days. Running services load them within ten seconds, and the script reloads PostgreSQL and the edge.

With a role (lab, quick-test, pocnat, contact-tracing, survey-server or log-server) and a name, the script also creates a certificate
for one laboratory, test centre, contact tracing system or server, in callers/ROLE-NAME: hand over the whole folder. The name
(lower-case letters, digits, hyphens) is stored with the results that are posted with it. Create one certificate for each, and
never use a name twice. Certificates without a name, such as callers/lab, are for trials.

With --csr, the certificate is for a key that its holder made and keeps: FILE is the request (PKCS #10, PEM or DER). It isn't renewed
by itself; a line that begins with `due` says when its holder has to send another request.

VIGIL_NAMES (in the environment or in .env) has the names under which outside callers reach services; docker-compose.yml says how.

`list` lists every certificate that the authority issued, and with --expiring 60d those that expire within 60 days. It ends with 3 if
there are such, and changes nothing.

The files are in the folder .secrets beside docker-compose.yml, or in the folder VIGIL_SECRETS:

  files/     one file for each secret, readable by root and by the user of the container that needs it (10001; 999 for PostgreSQL,
             101 for the edge, 65534 for Prometheus). Files that you put here yourself are kept, such as app-facing certificates of
             a public authority, which certificates-hook.sh puts here. denied lists the certificates that no listener accepts:
             append to it, don't replace the file
  callers/   owned by you: what laboratories, test centres and the portal need (tls.pem, tls.key, ca.pem, README.txt),
             export-signing-public.pem, which apps are built with, and federation-gateway.pem and federation-signing.pem for the
             operator of a federation's gateway
  state/     owned by root: the private authority with its key; certificates/issued has the fingerprint of each certificate that
             it issued. Keep a copy of this folder in a safe place

  --compose COMMAND   command that runs compose (default: docker compose)
  --no-preflight      doesn't run deploy/preflight.sh, such as where its Python is missing
  --help              shows this text
TEXT
}

compose="docker compose"
preflight=yes
partner=()
request=
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        lab | quick-test | pocnat | contact-tracing | survey-server | log-server)
            partner=("$1" "${2:?$1 needs a name}") && shift
            ;;
        --csr) request=${2:?--csr needs a file} && shift ;;
        list)
            shift
            partner=(list "$@")
            break
            ;;
        --compose) compose=${2:?--compose needs a command} && shift ;;
        --no-preflight) preflight= ;;
        *) fail "secrets.sh has no option $1; see --help." ;;
    esac
    shift
done
if [ -n "$request" ]; then
    [ ${#partner[@]} = 2 ] || fail "--csr needs a role and a name; see --help."
    if [ ! -f "$request" ] || [ ! -r "$request" ]; then fail "$request can't be read: name the file with the request."; fi
    request=$(realpath "$request")
    partner=(sign "${partner[@]}")
fi
cd "$checkout"

folder=$(secrets_folder)
if [ "${partner[0]:-}" = list ]; then
    command -v "${compose%% *}" >/dev/null || fail "${compose%% *} is not installed, or not on the PATH."
    [ -d "$folder/state" ] || fail "$folder has no certificates yet: run bash deploy/secrets.sh first."
    # The command is split into words on purpose.
    # shellcheck disable=SC2086
    exec $compose run --rm --no-deps -T secrets "${partner[@]}"
fi
# The folder is made by the first run that got as far.
if [ -n "$preflight" ] && ! bash deploy/preflight.sh --compose "$compose" && [ ! -d "$folder/files" ]; then
    fail "Nothing was made. Correct what preflight.sh says above, then run this script again."
fi
command -v "${compose%% *}" >/dev/null || fail "${compose%% *} is not installed, or not on the PATH."
{ mkdir -p "$folder" && chmod 700 "$folder"; } ||
    fail "$folder can't be made, or isn't yours: correct its permissions, or set VIGIL_SECRETS to another folder."

say "Making what is missing in $folder …"
# The command is split into words on purpose.
# shellcheck disable=SC2086
$compose run --rm --no-deps -T secrets ${partner[@]+"${partner[@]}"} <"${request:-/dev/null}" ||
    fail "Not everything could be made: correct what docker or vigil says above, then run this script again. What exists is kept."
# PostgreSQL reloads its certificate only on request. No metric shows when it expires, and after that nobody can connect.
# shellcheck disable=SC2086
if $compose ps --services --status running 2>/dev/null | grep -x postgres >/dev/null; then
    # Not with a signal: Docker then disables the restart policy, whatever the signal is (moby 41302).
    $compose exec -T postgres psql -X -q -d vigil -c 'SELECT pg_reload_conf()' >/dev/null
fi
# The edge, too. If it is just starting, it reads the new certificate anyway.
# shellcheck disable=SC2086
if $compose ps --services --status running 2>/dev/null | grep -x edge >/dev/null; then
    $compose exec -T edge nginx -e stderr -c /etc/vigil/nginx.conf -s reload ||
        say "The edge was not reloaded: docker compose restart edge"
fi
say "Everything is in $folder. Next: docker compose up -d"

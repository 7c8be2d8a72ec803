#!/usr/bin/env bash
# Backs up the suite in containers, and restores it.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"
. "$checkout/deploy/postgres/server.sh"
for part in settings make look recover restore; do . "$checkout/deploy/backup/$part.sh"; done

usage() {
    cat <<'TEXT'
bash deploy/backup.sh set-up
bash deploy/backup.sh run [--log]
bash deploy/backup.sh list
bash deploy/backup.sh verify [--identity FILE]
bash deploy/backup.sh restore --identity FILE [--to MOMENT] [--into FOLDER] [--dry-run]

Run it as root on the machine of the containers. deploy/runbook.md, "Backup and restore", says how to begin.

  set-up   has PostgreSQL archive its log; restarts it, if need be. Once
  run      makes a backup: a copy of the database, its log until then, and the operator's files. Nightly (deploy/systemd)
  run --log   only the log until now, and the files if they have changed. Every few minutes: what is lost with a machine is what
           was stored after the last one
  list     shows the backups, and the moments that they can restore
  verify   checks that each file is what it was, and that the log has no gap. With the identity it also decrypts the newest backup and
           has a throw-away PostgreSQL without a network read every row; see also --into
  restore  rebuilds a suite on a machine that has none: files, secrets, the database up to the end of the log or MOMENT. It refuses if
           there are volumes or secrets, or other files than it would write. Ends with PostgreSQL running, and says what to do next

The operator's files are the folder of the secrets, `.env`, and whatever docker-compose.yml and the files in COMPOSE_FILE mount, unless
git has the same. Volumes other than the database's aren't backed up. That of `published` is made again from the database. Those of
`hour-keys` and `donation-hour-keys` must not be copied: they tell which keys came together.

Everything is encrypted by age (https://age-encryption.org), Debian's package `age`: for a file it needs no keyring, no agent and no
trust database, many recipients are possible, and a file that was cut or altered doesn't decrypt. The machine has only the
recipient; keep the identity that belongs to it elsewhere. age doesn't say who made a file: let nobody else write to the folder.

  --identity FILE   the secret key, as age-keygen made it
  --to MOMENT       such as '2026-11-21 14:20:00+00'; the newest files are used, whatever the moment, so that nothing revoked returns
  --into FOLDER     restores into this folder, which must not exist, runs the same checks in a throw-away PostgreSQL, and stops. It
                    then has everybody's data and secrets: delete it
  --dry-run         says what would be done, and does nothing
  --from FOLDER     the folder with the backups (VIGIL_BACKUPS)
  --compose COMMAND command that runs compose (default: docker compose)
  --help            shows this text

Settings, in the environment or `.env`:

  VIGIL_ARCHIVE            folder where PostgreSQL leaves its log until it is encrypted; deploy/backup.yml mounts it
  VIGIL_BACKUPS            folder for the encrypted backups. Copy it to another site
  VIGIL_BACKUP_RECIPIENT   recipients, such as age1…, separated by commas
TEXT
}

compose="docker compose"
action=
log_only=
identity=
moment=
into=
dry=
store=
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        set-up | run | list | verify | restore)
            [ -z "$action" ] || fail "backup.sh does one thing at a time: $action or $1."
            action=$1
            ;;
        --log) log_only=yes ;;
        --identity) identity=${2:?--identity needs a file} && shift ;;
        --to) moment=${2:?--to needs a moment} && shift ;;
        --into) into=${2:?--into needs a folder} && shift ;;
        --from) store=${2:?--from needs a folder} && shift ;;
        --dry-run) dry=yes ;;
        --compose) compose=${2:?--compose needs a command} && shift ;;
        *) fail "backup.sh has no option $1; see --help." ;;
    esac
    shift
done
[ -n "$action" ] || fail "Say what to do: set-up, run, list, verify or restore; see --help."
[ -z "$log_only" ] || [ "$action" = run ] || fail "--log belongs to run."
[ -z "$moment$into$dry" ] || [ "$action" = restore ] || fail "--to, --into and --dry-run belong to restore."
[ -z "$identity" ] || [ -r "$identity" ] || fail "There is no identity $identity: name the file that age-keygen made."
[ "$action" != restore ] || [ -n "$identity" ] || fail "restore needs --identity FILE, the secret key of the backups."
[ "$(id -u)" = 0 ] || fail "Only root can read the secrets and the archive: run sudo bash deploy/backup.sh $action."
command -v age >/dev/null || fail "age is not installed: run apt-get install age."
command -v "${compose%% *}" >/dev/null || fail "${compose%% *} is not installed, or not on the PATH."
# Paths in options are relative to where the caller is.
[ -z "$identity" ] || identity=$(realpath "$identity")
[ -z "$into" ] || into=$(realpath -m "$into")
cd "$checkout"
store=$(realpath -m "${store:-$(setting VIGIL_BACKUPS)}") 2>/dev/null ||
    fail "Where are the backups? Set VIGIL_BACKUPS in .env, or pass --from FOLDER."
umask 077
work=$(mktemp -d "${TMPDIR:-/tmp}/vigil-backup.XXXXXX")
trap 'clean_up' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

case $action in
    set-up) set_up ;;
    run) run ;;
    list) list ;;
    verify) verify ;;
    restore) restore ;;
esac

#!/usr/bin/env bash
# Stops the suite in containers and removes it, as far as it is told to.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/remove.sh [--volumes | --everything] [--yes] [--dry-run] [--record FILE] [--compose COMMAND]

Removes the containers of all profiles and their networks. Data stays: `docker compose up -d` goes on with it. deploy/runbook.md,
"Stop and remove", says what an authority has to destroy elsewhere when its service ends.

  --volumes          also removes all volumes: the database, the hours' private keys, the published tree, Prometheus' figures
  --everything       also removes the folders of the secrets, of PostgreSQL's archive and of the backups on this machine
  --record FILE      where the record of what was removed is written, with sizes and what was found afterwards
                     (removed-DATE.txt in the checkout). Nothing is recorded if nothing but containers is removed
  --yes              doesn't ask
  --dry-run          says what would be removed, and removes nothing
  --compose COMMAND  command that runs compose (default: docker compose)
  --help             shows this text

Removed files may be recovered from a disk. If that matters, keep the folders and Docker's on an encrypted disk, and destroy its key.
TEXT
}

compose="docker compose"
kind=containers
sure=
dry=
record=$checkout/removed-$(date -u +%Y%m%dT%H%M%SZ).txt
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --volumes | --everything)
            [ "$kind" = containers ] || fail "remove.sh takes either --volumes or --everything."
            kind=${1#--}
            ;;
        --record) record=$(realpath -m "${2:?--record needs a file}") && shift ;;
        --yes) sure=yes ;;
        --dry-run) dry=yes ;;
        --compose) compose=${2:?--compose needs a command} && shift ;;
        *) fail "remove.sh has no option $1; see --help." ;;
    esac
    shift
done
cd "$checkout"
[ "$kind" = containers ] || [ "$(id -u)" = 0 ] || fail "Only root can read and remove the data: run sudo bash deploy/remove.sh --$kind."

project=$(compose_project "$compose")

# The project's volumes, and those without a name that its containers have: images of PostgreSQL from version 18 on make one, which
# `down --volumes` leaves if the container was made anew since.
mapfile -t suite_volumes < <(
    docker volume ls --quiet --filter "label=com.docker.compose.project=$project"
    docker ps --all --quiet --filter "label=com.docker.compose.project=$project" |
        xargs -r docker inspect --format '{{range .Mounts}}{{println .Name}}{{end}}' | grep -E '^[0-9a-f]{64}$'
)
# Those of them that are still there.
volumes() { docker volume ls --quiet | grep -Fx -f <(printf '%s\n' ${suite_volumes[@]+"${suite_volumes[@]}"}) || true; }

# The folders that exist and would be removed, each once.
folders() {
    local folder
    [ "$kind" = everything ] || return 0
    for folder in "$(secrets_folder)" "$(setting VIGIL_ARCHIVE)" "$(setting VIGIL_BACKUPS)"; do
        [ -z "$folder" ] || [ ! -d "$folder" ] || realpath "$folder"
    done | sort -u
}

# A line for a thing with its content. $1: what it is called; $2: its folder.
describe() { say "$1: $(find "$2" -type f | wc -l) files, $(du -s --apparent-size -B 1 "$2" | cut -f 1) bytes"; }

# What is there now, a line each.
inventory() {
    local name
    if [ "$kind" != containers ]; then
        volumes | while read -r name; do
            describe "volume $name" "$(docker volume inspect --format '{{.Mountpoint}}' "$name")"
        done
    fi
    folders | while read -r name; do describe "folder $name" "$name"; done
}

# Whoever sets a folder to one that has more in it would lose that, too.
while read -r folder; do
    case $checkout/ in
        "${folder%/}"/*) fail "$folder has the checkout in it, so it isn't removed: give VIGIL_SECRETS, VIGIL_ARCHIVE and VIGIL_BACKUPS folders of their own." ;;
    esac
    # Such as /srv.
    case ${folder#/} in
        */*) ;;
        *) fail "$folder is no folder of the suite's own, so it isn't removed: remove by hand what is the suite's in it." ;;
    esac
done < <(folders)

found=$(inventory)
say "To be removed: the containers and networks of the project $project.${found:+ For good:}"
[ -z "$found" ] || say "$found"
if [ -n "$dry" ]; then
    say "Nothing was done."
    exit 0
fi
if [ -n "$found" ] && [ -z "$sure" ]; then
    [ -t 0 ] || fail "Nobody can be asked: pass --yes if all of this shall be removed for good."
    read -r -p "Type $project to remove all of this for good: " answer
    [ "$answer" = "$project" ] || fail "Nothing was done."
fi
if [ -n "$found" ]; then
    {
        say "Record of deploy/remove.sh --$kind, project $project, $(hostname), begun $(date -u '+%F %T UTC')"
        say "$found"
    } 2>/dev/null >"$record" || fail "The record can't be written to $record, so nothing was done: name another file with --record."
fi

options=()
[ "$kind" = containers ] || options=(--volumes)
$compose --profile '*' down --remove-orphans --timeout 60 ${options[@]+"${options[@]}"} || fail "docker compose can't remove the suite: see above, and run this again."
if [ "$kind" != containers ]; then
    # Those of services that the files don't name any more, and those without a name.
    volumes | while read -r name; do docker volume rm "$name" >/dev/null || exit 1; done || fail "A volume is in use by another container: remove that, and run this again."
fi
while read -r folder; do
    rm -rf "$folder" || fail "$folder can't be removed as a whole: see above, and run this again."
done < <(folders)

left=$({
    docker ps --all --format 'container {{.Names}}' --filter "label=com.docker.compose.project=$project"
    docker network ls --format 'network {{.Name}}' --filter "label=com.docker.compose.project=$project"
    [ "$kind" = containers ] || volumes | sed 's/^/volume /'
    folders | sed 's/^/folder /'
} | paste -s -d ',' | sed 's/,/, /g')
[ -z "$left" ] || fail "These things are still there: $left. Run this again."
if [ -z "$found" ]; then
    say "The containers are gone${options[0]:+, and there was nothing else}."
    exit 0
fi
say "Looked again at $(date -u '+%F %T UTC'): no container, network or volume of the project is there, and none of these folders." >>"$record"
say "All of this is gone. $record says what was there."

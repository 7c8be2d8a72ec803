#!/usr/bin/env bash
# Moves the database of the suite in containers to a newer major version of PostgreSQL.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/deploy/machine.sh"
. "$checkout/deploy/postgres/server.sh"

usage() {
    cat <<'TEXT'
bash deploy/postgres/upgrade.sh [--dry-run] [--compose COMMAND] IMAGE

Stops the services, copies the database into a new volume with the PostgreSQL of IMAGE, such as postgres:18-bookworm, counts the
rows of every table on both sides, and writes VIGIL_IMAGE_POSTGRES and VIGIL_DATABASE, the volume's name, to `.env`. Then it starts
everything again. Apps and laboratories get errors meanwhile, and repeat their requests. Make a backup before (deploy/runbook.md, "Another PostgreSQL").

The old volume stays as it was. Whatever fails, the services start again on it. To go back later, put the two lines back as they were
and run `docker compose up -d`: what was stored since is lost.

  --dry-run           says what would be done, and does nothing
  --compose COMMAND   command that runs compose (default: docker compose)
  --help              shows this text
TEXT
}

compose="docker compose"
image=
dry=
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --dry-run) dry=yes ;;
        --compose) compose=${2:?--compose needs a command} && shift ;;
        -*) fail "upgrade.sh has no option $1; see --help." ;;
        *)
            [ -z "$image" ] || fail "upgrade.sh takes one image: $image or $1."
            image=$1
            ;;
    esac
    shift
done
[ -n "$image" ] || fail "Name the image with the newer PostgreSQL, such as postgres:18-bookworm; see --help."
cd "$checkout"
work=$(mktemp -d "${TMPDIR:-/tmp}/vigil-upgrade.XXXXXX")
# The new volume, until it is the suite's; the services that were stopped.
volume=
stopped=()
clean_up() {
    trap - EXIT INT TERM HUP
    set +e
    remove_server
    [ -z "$volume" ] || docker volume rm "$volume" >/dev/null 2>&1
    # Not by compose, which would wait for what they depend on.
    [ ${#stopped[@]} = 0 ] || { say "Starting the services again, with the database that they had …" && $compose ps --all --quiet "${stopped[@]}" | xargs docker start >/dev/null; }
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The server that runs, and the new one. Statements, or what follows, go to psql.
old() { $compose exec -T postgres "$@"; }
new() { docker exec --interactive "$server" "$@"; }
ask=(psql -X -q -A -t -v ON_ERROR_STOP=1 -U postgres -d vigil)

# Counts the rows of each table; a line each.
count_rows() {
    "$1" "${ask[@]}" <<'SQL'
SELECT format('SELECT %L, count(*) FROM %I.%I', schemaname || '.' || tablename, schemaname, tablename)
FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1
\gexec
SQL
}

[ -z "${VIGIL_IMAGE_POSTGRES:-}${VIGIL_DATABASE:-}" ] ||
    fail "VIGIL_IMAGE_POSTGRES or VIGIL_DATABASE is in the environment, which would win against .env: unset both, and write them to .env."
project=$(compose_project "$compose")
before=$(old "${ask[@]}" -c 'SHOW server_version_num' 2>"$work/words" </dev/null) ||
    fail "PostgreSQL doesn't run: docker compose up -d --wait postgres. $(tail -n 1 "$work/words")"
before=${before%????}
after=$(major_version "$image" 2>"$work/words") || true
[ -n "$after" ] || fail "The image $image has no PostgreSQL: $(tail -n 1 "$work/words")"
[ "$after" -gt "$before" ] ||
    fail "The suite runs PostgreSQL $before, and $image has $after. A newer image of the same version needs no copy: docker compose up -d postgres."
name=${project}_database-$after
! docker volume inspect "$name" >/dev/null 2>&1 ||
    fail "There is a volume $name already: remove it, if nobody needs it any more (docker volume rm $name)."
bytes=$(old "${ask[@]}" -c "SELECT pg_database_size('vigil')" </dev/null)
place=$(docker info --format '{{.DockerRootDir}}')
free=$(df --output=avail -B 1 "$place" | tail -n 1)
# Indexes are built anew, with files beside them; and the log of it all.
[ "$free" -gt $((2 * bytes + 4000000000)) ] ||
    fail "The disk of $place has $(size "$free") free, but twice the database ($(size "$bytes")) and 4 GB are needed: make room."
say "From PostgreSQL $before to $after ($image), $(size "$bytes"), into the volume $name."
if [ -n "$dry" ]; then
    say "Nothing was done."
    exit 0
fi

say "Stopping the services …"
mapfile -t stopped < <($compose ps --services --status running | grep -vx postgres)
[ ${#stopped[@]} = 0 ] || $compose stop "${stopped[@]}" >"$work/words" 2>&1 || fail "The services can't be stopped: $(tail -n 1 "$work/words")"
volume=$name
make_database_volume "$volume" "$project" "$image" || fail "The volume $volume can't be made: see above."
read -ra options < <(sed -n 's/^ *POSTGRES_INITDB_ARGS: //p' docker-compose.yml)
docker run --rm "${confined[@]}" --volume "$volume:$data" --entrypoint initdb "$image" -D "$data" --username=postgres "${options[@]}" \
    >"$work/words" 2>&1 || fail "PostgreSQL $after can't make a database: $(tail -n 1 "$work/words")"
start_server "$image" "$volume" --
for second in $(seq 60); do
    ! new pg_isready -q -U postgres 2>/dev/null || break
    [ "$second" -lt 60 ] && [ "$(docker inspect --format '{{.State.Running}}' "$server")" = true ] ||
        fail "PostgreSQL $after doesn't start: $(docker logs "$server" 2>&1 | grep -E 'FATAL|PANIC' | tail -n 1)"
    sleep 1
done

say "Copying the database …"
# With roles, their passwords' hashes, and settings; the superuser is there already.
{ old pg_dumpall -U postgres </dev/null 2>"$work/dump" | sed '/^CREATE ROLE postgres;$/d' |
    new psql -X -q -v ON_ERROR_STOP=1 -U postgres -d postgres >"$work/copy" 2>&1 && : >"$work/copied"; } &
copy=$!
while kill -0 "$copy" 2>/dev/null; do
    done=$(new "${ask[@]}" -c "SELECT pg_database_size('vigil')" 2>/dev/null </dev/null) && bar "The database" "$done" "$bytes"
    sleep 1
done
end_bar
wait "$copy" || true
[ -e "$work/copied" ] && [ ! -s "$work/dump" ] ||
    fail "The database can't be copied: $(cat "$work/dump" "$work/copy" | grep -E 'ERROR|FATAL|error' | head -n 1)"
new "${ask[@]}" <deploy/postgres/catalog.sql >/dev/null || fail "The privileges can't be set: see above."
count_rows old >"$work/old" && count_rows new >"$work/new" || fail "The rows can't be counted: see above."
cmp -s "$work/old" "$work/new" ||
    fail "These tables have other numbers of rows, the old one's first: $(diff "$work/old" "$work/new" | sed -n 's/^[<>] //p' | paste -s -d ' ')"
say "$(wc -l <"$work/new") tables have as many rows as before, $(awk -F '|' '{ sum += $2 } END { printf "%d", sum }' "$work/new") in all."
new "${ask[@]}" -c 'VACUUM ANALYZE' </dev/null
archives=$(old "${ask[@]}" -c 'SHOW archive_mode' </dev/null)
stop_server

write_settings 'VIGIL_IMAGE_POSTGRES|VIGIL_DATABASE' "VIGIL_IMAGE_POSTGRES=$image" "VIGIL_DATABASE=$volume"
volume=
stopped=()
say "Starting everything …"
$compose up -d --wait --wait-timeout 300 >"$work/words" 2>&1 ||
    fail "The suite doesn't start with PostgreSQL $after: $(tail -n 1 "$work/words"). To go back, put the two lines of .env back as they were, and run docker compose up -d."
say "The suite runs with PostgreSQL $after. Next: bash deploy/smoke.sh. The old database is in its volume until you remove it."
[ "$archives" = off ] || say "Backups begin anew: set VIGIL_ARCHIVE and VIGIL_BACKUPS to new folders, then run bash deploy/backup.sh set-up, and bash deploy/backup.sh run."

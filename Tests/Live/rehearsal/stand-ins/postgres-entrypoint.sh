#!/bin/bash
# For the stand-in of PostgreSQL's image: what docker-compose.yml uses of that image's entry point, and no more.
set -euo pipefail
# As from version 18 on: a volume of before, which nobody uses any more, would be empty without anybody noticing.
if [ "$PGDATA" = /var/lib/postgresql/18/docker ] && grep -q ' /var/lib/postgresql/data ' /proc/self/mountinfo; then
    echo "There appears to be PostgreSQL data in /var/lib/postgresql/data (unused mount/volume)" >&2
    exit 1
fi
mkdir -p "$PGDATA"
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    # The words are options.
    # shellcheck disable=SC2086
    initdb --username=postgres --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") $POSTGRES_INITDB_ARGS
    # The server that is to run, but on its socket only.
    pg_ctl -D "$PGDATA" -w start -o "$(printf '%q ' "${@:2}" -c listen_addresses=)"
    for file in /docker-entrypoint-initdb.d/*.sql; do
        psql --username postgres --no-password --no-psqlrc -v ON_ERROR_STOP=1 -f "$file"
    done
    pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@"

# Backs up the suite that runs, loses the machine, and restores it; moves its database to another PostgreSQL. Sourced by rehearsal.sh,
# not run.

# The answers of the database that a restore must give again. Each use of a TAN and each test is in them.
ask_remembered() {
    docker compose exec -T postgres psql -X -q -A -t -v ON_ERROR_STOP=1 -d vigil <<'SQL'
SELECT 'used TANs', count(*), md5(string_agg(encode(digest, 'hex'), ' ' ORDER BY digest)) FROM verification.used_tan;
SELECT 'registrations', count(*), md5(string_agg(session::text, ' ' ORDER BY session::text)) FROM verification.session AS session;
SELECT 'hours with a key', count(*), md5(string_agg(hour::text, ' ' ORDER BY hour)) FROM submission.hour_key WHERE closed;
SQL
}

# Whether laboratories' listener answers a caller with a certificate. $1: the caller's folder.
is_let_in() {
    curl --silent --output /dev/null --max-time 10 --cacert "$VIGIL_SECRETS/callers/ca.pem" --cert "$VIGIL_SECRETS/callers/$1/tls.pem" \
        --key "$VIGIL_SECRETS/callers/$1/tls.key" https://localhost:8020/
}

# Must say something, and succeed. $1: a pattern; then the arguments of deploy/backup.sh. Fails otherwise.
backup_says() {
    local words
    words=$(bash deploy/backup.sh "${@:2}" 2>&1) || { object "deploy/backup.sh ${*:2} failed: $(tail -n 3 <<<"$words")" && return 1; }
    grep -qE -- "$1" <<<"$words" || { object "deploy/backup.sh ${*:2} doesn't say $1: $(tail -n 3 <<<"$words")" && return 1; }
    say "deploy/backup.sh $2: $(tail -n 1 <<<"$words")"
}

# Expects a suite that runs and has been used; leaves one that runs and was restored. Settings are in the environment.
back_up_and_restore() {
    local before after second start=$SECONDS identity="$stage/backup.identity"
    local -x VIGIL_ARCHIVE="$stage/archive" VIGIL_BACKUPS="$stage/backups" VIGIL_BACKUP_RECIPIENT
    local -x COMPOSE_FILE="${COMPOSE_FILE:-docker-compose.yml}:deploy/backup.yml"
    say "Backing up …"
    age-keygen -o "$identity" 2>/dev/null
    VIGIL_BACKUP_RECIPIENT=$(age-keygen -y "$identity")
    quietly secrets bash deploy/secrets.sh lab revoked
    backup_says 'archives its log' set-up || return 0
    backup_says 'base-.* is complete' run || return 0
    # After the copy, so that only the log has it.
    smoke "PostgreSQL archives its log."
    is_let_in lab-revoked || object "A new laboratory isn't let in."
    grep ' # lab-revoked until ' "$VIGIL_SECRETS/state/certificates/issued" >>"$VIGIL_SECRETS/files/denied"
    for second in $(seq 60); do is_let_in lab-revoked || break && sleep 1; done
    ! is_let_in lab-revoked || object "A denied laboratory is let in after a minute."
    # Nothing changes what is compared between the question and the end of the log.
    quietly stop docker compose stop test-result-server verification-server submission-server fold distribution
    before=$(ask_remembered)
    backup_says 'The log is backed up' run --log || return 0
    backup_says 'read every row' verify --identity "$identity" || return 0

    say "Losing the machine …"
    quietly lose docker compose down --timeout 60
    docker volume ls --quiet | xargs -r docker volume rm >/dev/null
    rm -rf "$VIGIL_SECRETS" "$VIGIL_ARCHIVE" .env
    backup_says 'Nothing was done' restore --identity "$identity" --dry-run || return 0
    [ -z "$(docker volume ls --quiet)" ] && [ ! -e "$VIGIL_SECRETS" ] || object "A dry run of a restore leaves something."
    backup_says 'Next: docker compose up' restore --identity "$identity" || return 0
    after=$(ask_remembered)
    [ "$after" = "$before" ] || object "The restored database has other answers: $(paste -s -d ' ' <<<"$after") instead of $(paste -s -d ' ' <<<"$before")."
    ! grep -q '|0|' <<<"$(head -n 2 <<<"$before")" || object "Nothing was stored before the loss: $before"
    quietly up docker compose up -d --wait --wait-timeout 300
    ! is_let_in lab-revoked || object "A laboratory that was denied before the loss is let in."
    is_let_in lab || object "The laboratory for trials isn't let in after a restore."
    smoke "The machine was lost, and the suite restored."
    backup_says 'base-.* is complete' run || return 0
    say "backed up, lost and restored in $((SECONDS - start)) s: $(head -n 1 <<<"$before" | cut -d '|' -f 2) used TANs"
}

# Expects a suite that runs and has been used; leaves one that runs with the next version of PostgreSQL.
change_postgres() {
    local service words before after start=$SECONDS
    say "Moving the database to PostgreSQL 18 …"
    ! bash deploy/postgres/upgrade.sh postgres:17-bookworm >/dev/null 2>&1 || object "The database is moved to the version that it has."
    words=$(bash deploy/postgres/upgrade.sh --dry-run postgres:18-bookworm) || object "A dry run fails: $words"
    quietly stop docker compose stop test-result-server verification-server submission-server fold distribution
    before=$(ask_remembered)
    quietly start docker compose start test-result-server verification-server submission-server fold distribution
    # Interrupted, wherever that is, it leaves everything as it was.
    ! timeout 8 bash deploy/postgres/upgrade.sh postgres:18-bookworm >"$cache/postgres.log" 2>&1 || object "The database was moved within 8 s?"
    for service in "${all[@]}"; do wait_healthy "$service" 120; done
    [ -z "$(docker volume ls --quiet --filter name=database-18)" ] && [ ! -e .env ] || object "An interrupted move leaves a volume, or settings."
    words=$(bash deploy/postgres/upgrade.sh postgres:18-bookworm 2>&1) || { object "deploy/postgres/upgrade.sh fails: $(tail -n 3 <<<"$words")" && return 0; }
    say "deploy/postgres/upgrade.sh: $(grep 'as many rows' <<<"$words")"
    [ "$(docker compose exec -T postgres psql -X -A -t -d vigil -c 'SHOW server_version_num' </dev/null | cut -c 1-2)" = 18 ] ||
        object "PostgreSQL isn't 18 after all."
    after=$(ask_remembered)
    [ "$after" = "$before" ] || object "The moved database has other answers: $(paste -s -d ' ' <<<"$after") instead of $(paste -s -d ' ' <<<"$before")."
    smoke "PostgreSQL has another version."
    say "moved in $((SECONDS - start)) s"
}

# deploy/backup.sh restore. Sourced, not run.

# Chooses what to restore from, and checks it: the newest files, and the newest copy of the database before the moment.
choose() {
    local name at wrong lacks needed=()
    operators=$(backups files | tail -n 1)
    at=$(date +%s)
    if [ -n "$moment" ]; then
        at=$(date -u -d "$moment" +%s 2>/dev/null) || fail "$moment is no moment: write it like '2026-11-21 14:20:00+00'."
        [ "$at" -le "$(date +%s)" ] || fail "$moment hasn't come yet."
        moment=$(date -u -d "@$at" '+%F %T+00')
    fi
    base=
    while read -r name; do
        [ "$(date -u -d "$(fact "$name" finished)" +%s)" -gt "$at" ] || base=$name
    done < <(usable_bases)
    [ -n "$operators" ] && [ -n "$base" ] || fail "$store has no complete backup${moment:+ from before $moment}: see bash deploy/backup.sh list."
    mapfile -t needed < <(logged | while read -r name; do
        [[ $name =~ ^[0-9A-F]{24}$ ]] && [ "$(place "$name")" -lt "$(place "$(fact "$base" first-segment)")" ] || log_file "$name"
    done)
    wrong=$({ differing "$base" && differing "$operators" && differing_log ${needed[@]+"${needed[@]}"}; } | paste -s -d ' ')
    [ -z "$wrong" ] || fail "These files are damaged or missing: $wrong. Fetch other copies of them, or use an earlier backup with --to MOMENT."
    lacks=$(gap "$base")
    if [ -n "$lacks" ]; then
        [ "$(place "$lacks")" -gt "$(place "$(fact "$base" last-segment)")" ] ||
            fail "The log lacks the segment $lacks, without which $base is of no use: fetch it, or use an earlier backup with --to MOMENT."
        say "The log lacks the segment $lacks: nothing after it can be restored."
    fi
    say "From $base, $operators and ${#needed[@]} files of the log${moment:+, up to $moment}."
}

# Decrypts the operator's files. $1: the folder, in which they are below `checkout` and `machine`.
unpack_files() {
    local name status
    for name in checkout machine; do
        mkdir -p "$1/$name"
        set +e
        unseal "$store/$operators/$name.tar.gz.age" "The files" | tar -xzp --numeric-owner -C "$1/$name" 2>"$work/unpack"
        status=("${PIPESTATUS[@]}")
        set -e
        [ "${status[0]}" = 0 ] && [ "${status[1]}" = 0 ] || fail_to_unseal "$store/$operators/$name.tar.gz.age"
    done
}

# Fails unless a folder's disk has room for the database and its log. $1: the folder.
check_room() {
    local free wanted
    free=$(df --output=avail -B 1 "$1" | tail -n 1)
    # A segment of the log has 16 MiB.
    wanted=$(($(fact "$base" bytes) + 16777216 * ($(logged | wc -l) + 3)))
    [ "$free" -gt "$wanted" ] || fail "The disk of $1 has $(size "$free") free, but database and log need $(size "$wanted"): make room."
}

# MARK: Into a folder

restore_into() {
    choose
    [ ! -e "$into" ] || [ -z "$(ls -A "$into")" ] || fail "$into has content, and nothing is overwritten: name another folder."
    if [ -n "$dry" ]; then
        say "Would restore into $into, check it there and stop. Nothing was done."
        return
    fi
    mkdir -p "$into"
    check_room "$into"
    unpack_files "$into"
    install -d -o 999 -g 999 -m 0700 "$into/data" "$into/log"
    # The recovering server has another user, and no business elsewhere in the folder.
    chmod 711 "$into"
    unpack_base "$base" "$into/data"
    unpack_log "$base" "$into/log"
    chown -R 999:999 "$into/log"
    recover "$into/data" "$into/log"
    check_server
    [ "$(find "$into/checkout" "$into/machine" -name denied | wc -l)" != 0 ] || fail "The list of denied certificates isn't in $operators."
    stop_server
    say "The backup can be restored: $(find "$into/checkout" "$into/machine" -type f | wc -l) files, the database with its passwords, and the list of denied certificates."
}

# MARK: Onto a machine that has nothing

# Set while there is something to undo: what was put where.
restoring=
placed=()
# Folders, the innermost first.
made=()
undo_restore() {
    local path
    [ -n "$restoring" ] || return 0
    restoring=
    say "Undoing what was restored …"
    $compose --profile '*' down --volumes >/dev/null 2>&1 || true
    for path in ${placed[@]+"${placed[@]}"}; do
        rm -f "$path"
        # What git has is put back.
        [ ! -e "$work/before/$path" ] || cp -a "$work/before/$path" "$path"
    done
    [ -z "${secrets:-}" ] || rm -rf "$secrets"
    [ ${#made[@]} = 0 ] || rmdir --ignore-fail-on-non-empty "${made[@]}" 2>/dev/null || true
}

# Prints what would be overwritten.
conflicts() {
    local path target root
    docker volume ls --quiet --filter "label=com.docker.compose.project=$project" | sed 's/^/the volume /'
    docker ps --all --format '{{.Names}}' --filter "label=com.docker.compose.project=$project" | sed 's/^/the container /'
    [ ! -d "$secrets" ] || [ -z "$(ls -A "$secrets")" ] || say "the folder $secrets"
    for root in checkout machine; do
        (cd "$work/stage/$root" && find . -type f -printf '%P\n') | while read -r path; do
            target=/$path
            [ $root = machine ] || target=$checkout/$path
            # Listed as a folder.
            [[ $target != "$secrets"/* ]] || continue
            [ ! -e "$target" ] || cmp -s "$target" "$work/stage/$root/$path" || is_gits "$target" || say "$target"
        done
    done
}

# Whether git can give a file back.
is_gits() {
    [[ $1 = "$checkout"/* ]] && git_here ls-files --error-unmatch -- "$1" >/dev/null 2>&1 && git_here diff --quiet HEAD -- "$1" 2>/dev/null
}

place_files() {
    local path target root
    for root in checkout machine; do
        # Folders first: with owners and modes, so that containers can read what is in them.
        while read -r path; do
            target=/$path
            [ $root = machine ] || target=$checkout/$path
            [ -d "$target" ] || { mkdir "$target" && made=("$target" ${made[@]+"${made[@]}"}) && chown --reference="$work/stage/$root/$path" "$target" && chmod --reference="$work/stage/$root/$path" "$target"; }
        done < <(cd "$work/stage/$root" && find . -mindepth 1 -type d -printf '%P\n' | sort)
        while read -r path; do
            target=/$path
            [ $root = machine ] || target=$checkout/$path
            if [ -e "$target" ]; then
                cmp -s "$target" "$work/stage/$root/$path" && continue
                mkdir -p "$work/before/${target%/*}"
                cp -a "$target" "$work/before/$target"
            fi
            [[ $target = "$secrets"/* ]] || placed+=("$target")
            cp -a "$work/stage/$root/$path" "$target"
        done < <(cd "$work/stage/$root" && find . -type f -printf '%P\n')
    done
}

restore() {
    local found volume settings
    if [ -n "$into" ]; then
        restore_into
        return
    fi
    choose
    mkdir "$work/stage"
    unpack_files "$work/stage"
    settings=$work/stage/checkout/.env
    project=$(compose_project "$compose" "$settings")
    volume=$(setting VIGIL_DATABASE "$settings")
    volume=${volume:-${project}_database}
    secrets=$(setting VIGIL_SECRETS "$settings")
    secrets=$(realpath -m "${secrets:-./.secrets}")
    found=$(conflicts)
    if [ -n "$dry" ]; then
        say "Would write $(find "$work/stage" -type f | wc -l) files, $secrets among them, and the volume $volume; then recover the database."
        [ -z "$found" ] || fail "It would refuse, because this exists: $(paste -s -d ',' <<<"$found" | sed 's/,/, /g')."
        say "Nothing was done."
        return
    fi
    [ -z "$found" ] || {
        secrets=
        fail "Nothing is overwritten, but this exists: $(paste -s -d ',' <<<"$found" | sed 's/,/, /g'). Back it up and remove it (bash deploy/remove.sh --volumes removes containers and volumes), or restore on another machine."
    }

    restoring=yes
    say "Writing the operator's files …"
    place_files
    archive=$(realpath -m "$(setting VIGIL_ARCHIVE)")
    install -d -o 999 -g 999 -m 0700 "$archive" "$archive/wal"
    check_room "$archive"
    garbage+=("$archive/restore")
    rm -rf "$archive/restore"
    install -d -o 999 -g 999 -m 0700 "$archive/restore"
    make_database_volume "$volume" "$project" "$(postgres_image)" || fail "The volume $volume can't be made: see above."
    # What it makes from the authority and the secrets, and what a newer version of the suite has besides.
    bash deploy/secrets.sh --compose "$compose" || fail "The secrets can't be completed: see above."

    say "Restoring the database …"
    unpack_base "$base" "$volume"
    unpack_log "$base" "$archive/restore"
    chown -R 999:999 "$archive/restore"
    recover "$volume" "$archive/restore" "$archive"
    check_server
    # The private keys are those of another time, or gone: nobody can open this.
    ask_server <<'SQL' || fail "What nobody can open couldn't be deleted: see above."
DELETE FROM submission.hour_key WHERE NOT closed;
DELETE FROM submission.inbox;
DELETE FROM donation.hour_key WHERE NOT closed;
DELETE FROM donation.inbox;
SQL
    ask_server <deploy/postgres/catalog.sql >/dev/null || fail "The privileges couldn't be set: see above."
    stop_server
    rm -rf "$archive/restore"
    say "Starting PostgreSQL, and giving the roles their passwords …"
    $compose up -d --no-deps --wait postgres >"$work/unpack" 2>&1 || fail "PostgreSQL doesn't start: $(tail -n 1 "$work/unpack")"
    $compose run --rm --no-deps -T migrate || fail "The database couldn't be migrated: see above."
    restoring=
    say "Restored up to ${recovered:-the end of the base backup}. What was stored later is lost: deploy/runbook.md, \"Backup and restore\", says what follows from that."
    say "Next: docker compose up -d --wait --wait-timeout 300, then bash deploy/smoke.sh, then bash deploy/backup.sh run."
}

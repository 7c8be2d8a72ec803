# Recovers a backup in a PostgreSQL beside the suite's. Sourced by deploy/backup.sh, not run.

# Prints the image of PostgreSQL that compose would use.
postgres_image() {
    local image
    image=$(setting VIGIL_IMAGE_POSTGRES)
    say "${image:-$(sed -nE 's/.*\$\{VIGIL_IMAGE_POSTGRES:-([^}]+)\}.*/\1/p' docker-compose.yml | sed -n 1p)}"
}

# Unpacks the files of a database. $1: the backup's name; $2: the volume or folder.
unpack_base() {
    local file="$store/$1/base.tar.gz.age" image status major
    image=$(postgres_image)
    major=$(major_version "$image" 2>"$work/unpack") || true
    [ "$major" = "$(fact "$1" postgres)" ] || fail "$1 needs PostgreSQL $(fact "$1" postgres), and the image $image has ${major:-none ($(tail -n 1 "$work/unpack"))}: set VIGIL_IMAGE_POSTGRES."
    set +e
    unseal "$file" "The database" | docker run --rm --interactive "${confined[@]}" --volume "$2:$data" --entrypoint sh "$image" \
        -c "cd $data && tar -xzf - && chmod 700 . && touch recovery.signal" 2>"$work/unpack"
    status=("${PIPESTATUS[@]}")
    set -e
    [ "${status[0]}" = 0 ] && [ "${status[1]}" = 0 ] || fail_to_unseal "$file"
}

# Decrypts what a backup needs of the log into a folder. $1: the backup's name; $2: the folder.
unpack_log() {
    local first name names=() number=0 file
    first=$(place "$(fact "$1" first-segment)")
    while read -r name; do
        [[ $name =~ ^[0-9A-F]{24}$ ]] && [ "$(place "$name")" -lt "$first" ] || names+=("$name")
    done < <(logged)
    for name in "${names[@]}"; do
        number=$((number + 1)) file=$(log_file "$name")
        bar "The log" "$number" ${#names[@]}
        { age --decrypt --identity "$identity" "$file" 2>"$work/unseal" | gunzip >"$2/$name"; } 2>"$work/unpack" || fail_to_unseal "$file"
    done
    end_bar
    needed_log=${#names[@]}
}

# Recovers a database up to the moment, or to the end of the log. $1: the volume or folder with its files; $2: the folder with the log;
# $3: the archive, if the server is to archive what it writes.
recover() {
    local options=(-c "restore_command=cp /restore/%f %p" -c recovery_target_action=promote -c hot_standby=off -c ssl=off)
    local mounts=(--volume "$2:/restore:ro") done_before=-1 restored still=0
    if [ -n "${3:-}" ]; then mounts+=(--volume "$3:/archive"); else options+=(-c archive_mode=off); fi
    [ -z "$moment" ] || options+=(-c "recovery_target_time=$moment")
    start_server "$(postgres_image)" "$1" "${mounts[@]}" -- "${options[@]}" 2>"$work/unpack" ||
        fail "PostgreSQL doesn't start: $(tail -n 1 "$work/unpack")"
    until docker exec "$server" pg_isready -q -U postgres 2>/dev/null; do
        docker logs "$server" >"$work/recovery" 2>&1 || true
        restored=$(grep -c 'restored log file' "$work/recovery" || true)
        if [ "$(docker inspect --format '{{.State.Running}}' "$server" 2>/dev/null)" != true ]; then
            if grep -q 'before configured recovery target was reached' "$work/recovery"; then
                fail "The log ends before $moment: choose an earlier moment, or leave --to away for the newest state."
            fi
            fail "PostgreSQL can't recover the backup: $(grep -E 'FATAL|PANIC' "$work/recovery" | tail -n 1). Try an earlier backup with --to MOMENT."
        fi
        if [ "$restored" = "$done_before" ]; then still=$((still + 1)); else still=0; fi
        [ $still -lt 300 ] || fail "PostgreSQL has stood still for five minutes while it recovers: $(tail -n 1 "$work/recovery")"
        done_before=$restored
        bar "Recovering" "$restored" "$needed_log"
        sleep 1
    done
    end_bar
    docker logs "$server" >"$work/recovery" 2>&1 || true
    recovered=$(sed -nE 's/.*last completed transaction was at log time (.*)$/\1/p' "$work/recovery" | tail -n 1)
}

# Statements for the recovered database, from the standard input. Rows go to the standard output.
ask_server() { docker exec --interactive "$server" psql -X -q -A -t -v ON_ERROR_STOP=1 -U postgres -d vigil; }

# What must be right in a recovered database.
check_server() {
    local bytes old sealed
    # Reads every row, and with it every page's checksum.
    bytes=$(docker exec "$server" pg_dump -U postgres vigil 2>"$work/unpack" | wc -c) && [ ! -s "$work/unpack" ] ||
        fail "The recovered database can't be read: $(tail -n 1 "$work/unpack"). Try an earlier backup with --to MOMENT."
    say "PostgreSQL recovered everything up to ${recovered:-the end of the base backup}, and read every row: $(size "$bytes")."
    say "Versions: $(ask_server <<<"SELECT string_agg(schema || ' ' || number, ', ' ORDER BY schema) FROM (SELECT schema, max(number) AS number FROM vigil.migration GROUP BY schema) AS version")."
    old=$(ask_server <deploy/postgres/retention.sql | grep -c '^TOO OLD' || true)
    [ "$old" = 0 ] || say "$old kinds of rows are past their time in it (deploy/postgres/retention.sql). The services delete them within two hours after they start."
    sealed=$(ask_server <<<"SELECT (SELECT count(*) FROM submission.inbox) + (SELECT count(*) FROM donation.inbox)")
    [ "$sealed" = 0 ] || say "$sealed uploads and donations in it weren't folded. Nobody can open them: their keys aren't part of a backup. A restore deletes them."
}

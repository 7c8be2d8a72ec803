# deploy/backup.sh set-up and run: makes a backup. Sourced, not run.

# How long backups are kept: with what a copy elsewhere needs to follow, less than the fourteen days after which keys expire.
kept_days=12

# Runs a statement as the database's superuser. $1: the statement; its rows go to the standard output, without decoration.
sql() { $compose exec -T postgres psql -X -q -A -t -v ON_ERROR_STOP=1 -d vigil -c "$1" </dev/null; }

check_archive() {
    archive=$(setting VIGIL_ARCHIVE)
    [ -n "$archive" ] || fail "Where may PostgreSQL leave its log? Set VIGIL_ARCHIVE in .env, and run bash deploy/backup.sh set-up."
    archive=$(realpath -m "$archive")
}

set_up() {
    local changed name value
    check_archive
    check_recipient
    mkdir -p "$store/log"
    # The user of PostgreSQL's image.
    install -d -o 999 -g 999 -m 0700 "$archive" "$archive/wal"
    $compose config 2>"$work/config" | grep 'target: /archive$' >/dev/null ||
        fail "Add deploy/backup.yml to the line COMPOSE_FILE in .env, so that PostgreSQL finds $archive. $(tail -n 1 "$work/config")"
    $compose up -d --no-deps --wait postgres
    # It refuses to replace a file by another one, and a file is complete or isn't there.
    while IFS='|' read -r name value; do
        [ "$(sql "SELECT current_setting('$name')")" != "$value" ] || continue
        sql "ALTER SYSTEM SET $name = \$\$$value\$\$"
        changed=yes
    done <<'TEXT'
archive_mode|on
archive_timeout|5min
archive_command|cmp -s %p /archive/wal/%f || { test ! -f /archive/wal/%f && cp %p /archive/wal/%f.part && sync /archive/wal/%f.part && mv /archive/wal/%f.part /archive/wal/%f; }
TEXT
    if [ -n "${changed:-}" ]; then
        say "Restarting PostgreSQL; the services wait and go on …"
        $compose restart postgres
        $compose up -d --no-deps --wait postgres
    fi
    say "PostgreSQL archives its log. Next: bash deploy/backup.sh run"
}

run() {
    local began
    check_archive
    check_recipient
    [ "$(sql "SELECT current_setting('archive_mode')")" = on ] ||
        fail "PostgreSQL doesn't run or doesn't archive its log: docker compose up -d, then bash deploy/backup.sh set-up."
    mkdir -p "$store/log" || fail "$store can't be made: name a folder that can in VIGIL_BACKUPS."
    began=$(date +%s)
    if [ -z "$log_only" ]; then
        # While a base backup is made, which may take hours, the log goes on.
        exec 8>"$store/.base-lock"
        flock -n 8 || fail "Another backup is running: wait until it has ended."
        rm -rf "$store"/.base-*/
        forget
        back_up_base
    fi
    exec 9>"$store/.log-lock"
    flock -w 300 9 || fail "The log is being backed up by another process, and that took 5 minutes: end it, and run this again."
    rm -rf "$store"/.files-*/ "$store"/log/.*.part
    back_up_files
    back_up_log
    if [ -z "$log_only" ]; then
        # Now there is everything that this base needs.
        fsync_and_rename "$store/.$base" "$store/$base"
        sql "ALTER DATABASE vigil SET vigil.backup_base = '$began'"
        say "$base is complete: $(size "$(stat -c %s "$store/$base/base.tar.gz.age")"). The checksum of its manifest is $(sha256sum <"$store/$base/MANIFEST" | cut -c 1-64)."
    fi
    sql "ALTER DATABASE vigil SET vigil.backup_log = '$began'"
}

fsync_and_rename() {
    sync -f "$1"
    mv -T "$1" "$2"
    sync "${2%/*}"
}

# Deletes what is too old: expired keys are in it. The newest files stay, which have no one's data.
forget() {
    local old name oldest segment place_of_oldest
    old=$(($(date +%s) - kept_days * 86400))
    while read -r name; do
        [ "$(instant "$name")" -ge "$old" ] || rm -rf "${store:?}/$name"
    done < <(backups base && backups files | head -n -1)
    oldest=$(backups base | sed -n 1p)
    [ -n "$oldest" ] || {
        find "$store/log" -name '*.age' -mtime "+$kept_days" -delete
        return 0
    }
    place_of_oldest=$(place "$(fact "$oldest" first-segment)")
    while read -r segment; do
        [ "$(place "$segment")" -ge "$place_of_oldest" ] || rm -f "$(log_file "$segment")"
    done < <(segments)
}

# MARK: The database

# Makes the folder .$base, which gets its final name once the log is there, too.
back_up_base() {
    local status first end line state
    base=base-$(date -u +%Y%m%dT%H%M%SZ)
    mkdir "$store/.$base"
    garbage+=("$store/.$base")
    first=$(sql 'SELECT pg_walfile_name(pg_current_wal_lsn())')
    state=$(sql "SELECT string_agg(schema || ' ' || number, ', ' ORDER BY schema) FROM (SELECT schema, max(number) AS number FROM vigil.migration GROUP BY schema) AS version" 2>/dev/null || true)
    say "Copying the database …"
    : >"$work/server"
    set +e
    $compose exec -T postgres pg_basebackup -D - -F tar --gzip --checkpoint=fast --wal-method=none --progress --label="$base" \
        2> >(
            # It says `1234/5678 kB (21%)`, once a second.
            while IFS= read -r -d $'\n' line; do
                printf '%s\n' "$line" >>"$work/server"
                [[ ! $line =~ ([0-9]+)/([0-9]+)\ kB ]] || bar "The database" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
            done
        ) | seal "$store/.$base/base.tar.gz.age"
    status=("${PIPESTATUS[@]}")
    set -e
    end_bar
    [ "${status[1]}" = 0 ] && [ "${status[0]}" = 0 ] || fail_to_seal "The database"
    # The copy ended before this segment. That of the place that is written next: at a boundary, another one would be named.
    end=$(sql 'SELECT pg_walfile_name(pg_current_wal_insert_lsn())')
    {
        say "finished $(date -u '+%F %T+00')"
        say "first-segment $first"
        say "end-segment $end"
        say "schemas $state"
        say "postgres $(sql 'SHOW server_version_num' | cut -c 1-2)"
        say "bytes $(sed -nE 's@.*/([0-9]+) kB.*@\1@p' "$work/server" | tail -n 1)000"
        manifest_of "$store/.$base"
    } >"$store/.$base/MANIFEST" || fail_to_seal "The database"
}

# The rest of a manifest: for whom it is, and checksums. $1: the folder.
manifest_of() {
    local file
    say "recipient $(setting VIGIL_BACKUP_RECIPIENT)"
    say "build $(git_here describe --always --dirty 2>/dev/null || true)"
    for file in "$1"/*.age; do say "sha256 $(sha256sum <"$file" | cut -c 1-64) ${file##*/}"; done
}

# MARK: The log

# Has PostgreSQL archive what it has written until now, and encrypts the archive. A file leaves the archive once it is encrypted.
back_up_log() {
    local last second file name sum files=() number=0 encrypted
    # The segment before, if nothing was written since the last switch: the next one won't be archived.
    last=$(sql 'SELECT pg_walfile_name(pg_switch_wal() - 1)')
    for second in $(seq 120); do
        [ "$(sql "SELECT coalesce(last_archived_wal, '') COLLATE \"C\" >= '$last' FROM pg_stat_archiver")" != t ] || break
        [ "$second" -lt 120 ] || fail "PostgreSQL doesn't archive its log: is the disk of $archive full, or has $archive/wal another owner than 999? docker compose logs postgres says more. Nothing is lost yet."
        sleep 1
    done
    mapfile -t files < <(find "$archive/wal" -type f ! -name '*.part' | sort)
    for file in "${files[@]}"; do
        number=$((number + 1)) name=${file##*/}
        bar "The log" "$number" "${#files[@]}"
        sum=$(sha256sum <"$file" | cut -c 1-64)
        if [ -n "$(log_file "$name")" ]; then
            # PostgreSQL may archive a file once more after a crash, but then it is the same.
            grep -qsx "$sum $name" "$archive/shipped" || fail "$store/log has another file $name already: do two servers archive into $archive, or two machines write to $store? Give each a folder of its own."
            rm "$file"
            continue
        fi
        gzip -n -c "$file" | seal "$store/log/.$name.part" || fail_to_seal "The log"
        encrypted=$(sha256sum <"$store/log/.$name.part" | cut -c 1-64)
        printf '%s %s\n' "$sum" "$name" >>"$archive/shipped" || fail "The disk of $archive is full: make room, and run this again."
        mv "$store/log/.$name.part" "$store/log/$name.$encrypted.age"
        rm "$file"
    done
    end_bar
    sync -f "$store/log"
    # As long as a server can archive them again.
    if [ -s "$archive/shipped" ]; then
        tail -n 5000 "$archive/shipped" >"$archive/shipped.new" && mv "$archive/shipped.new" "$archive/shipped"
    fi
    say "The log is backed up until $(shown "$(date +%s)"): ${#files[@]} new files."
    [ -z "${base:-}" ] || say "last-segment $last" >>"$store/.$base/MANIFEST" || fail_to_seal "The database"
}

# MARK: The operator's files

# git in a checkout that may belong to another user.
git_here() { git -c safe.directory="$checkout" -C "$checkout" "$@"; }

# Lists the files that compose mounts, and those that say what it does: absolute paths, each once.
mounted_files() {
    local path folder names
    folder=$(realpath -m "$(secrets_folder)")
    # Paths in it are absolute, and names of volumes and secrets aren't.
    $compose --profile '*' config --format json >"$work/config.json" 2>"$work/config" ||
        fail "docker compose doesn't understand the configuration, so it isn't known which files belong to it: $(tail -n 1 "$work/config")"
    names=$(setting COMPOSE_FILE)
    {
        sed -nE 's@^ *"(source|file)": "(/.*)",?$@\2@p' "$work/config.json"
        printf '%s\n' "$folder" "$checkout/.env"
        tr : '\n' <<<"${names:-docker-compose.yml:docker-compose.override.yml}" | while read -r path; do realpath -m "$path"; done
    } | sort -u | while read -r path; do
        case $path in
            "$folder"/* | "$archive" | "$store") ;;
            *) [ ! -e "$path" ] || find -L "$path" -type f ;;
        esac
    done | sort -u
}

# Writes an archive of the listed files, with the folders that they are in. $1: checkout or machine; then options of tar.
pack() {
    local root=$checkout attempt
    [ "$1" = checkout ] || root=/
    # Not those below `/`, which every machine has.
    { awk -F / -v first="$([ "$1" = checkout ] && say 1 || say 2)" '
        { path = $1; for (part = 1; part < NF; part++) { if (part >= first) print path; path = path "/" $(part + 1) } }' "$work/$1" && cat "$work/$1"; } |
        sort -u >"$work/$1.all"
    for attempt in 1 2 3; do
        # What a link leads to, because it may lead elsewhere on another machine.
        ! tar --create --file "$work/$1.tar" --dereference --numeric-owner --sort=name --no-recursion "${@:2}" -C "$root" -T "$work/$1.all" 2>"$work/tar" ||
            return 0
        # Something changed meanwhile.
        sleep "$attempt"
    done
    fail "The operator's files can't be read: $(tail -n 1 "$work/tar"). Run this again once nobody changes them."
}

# Makes a folder files-…, unless nothing has changed.
back_up_files() {
    local name path root newest sum
    mounted_files >"$work/paths" || exit 1
    # Not what git has: another version of the suite has other files.
    { git_here ls-files && git_here diff --name-only HEAD && git_here diff --name-only HEAD; } 2>/dev/null | sort | uniq -u >"$work/unchanged" || true
    : >"$work/checkout" && : >"$work/machine"
    while read -r path; do
        case $path in
            "$checkout"/*)
                grep -qxF -- "${path#"$checkout"/}" "$work/unchanged" || say "${path#"$checkout"/}" >>"$work/checkout"
                ;;
            *) say "${path#/}" >>"$work/machine" ;;
        esac
    done <"$work/paths"
    # A folder's time changes with whatever is in it.
    pack checkout --mtime=@0
    pack machine --mtime=@0
    sum=$(cat "$work"/{checkout,machine}.tar | sha256sum | cut -c 1-64)
    newest=$(backups files | tail -n 1)
    [ "$(cat "$archive/files" 2>/dev/null || true)" != "$sum $newest" ] || return 0
    name=files-$(date -u +%Y%m%dT%H%M%SZ)
    mkdir "$store/.$name"
    garbage+=("$store/.$name")
    for root in checkout machine; do
        pack "$root"
        gzip -n -c "$work/$root.tar" | seal "$store/.$name/$root.tar.gz.age" || fail_to_seal "The folder of files"
    done
    { say "files $(wc -l <"$work/paths")" && manifest_of "$store/.$name"; } >"$store/.$name/MANIFEST" || fail_to_seal "The folder of files"
    fsync_and_rename "$store/.$name" "$store/$name"
    say "$sum $name" >"$archive/files"
    say "$name is complete: $(wc -l <"$work/checkout") files of the checkout, $(wc -l <"$work/machine") from elsewhere."
}

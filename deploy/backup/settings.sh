# What all parts of deploy/backup.sh share: settings, the folder of backups, encryption, progress. Sourced, not run.
#
# The folder of backups. A name that begins with a dot is unfinished, and no backup:
#
#     base-20261121T020000Z/    MANIFEST, base.tar.gz.age: the files of the database, as pg_basebackup gives them
#     files-20261121T020000Z/   MANIFEST, checkout.tar.gz.age and machine.tar.gz.age: the operator's files, by their paths in the
#                               checkout and by those from `/`
#     log/NAME.SHA256.age       a file of PostgreSQL's archive, compressed; with the checksum of what is encrypted
#
# A MANIFEST has a word and its value in each line; `sha256 NAME` has the checksum of an encrypted file.

# Removed at the end, whatever happens.
garbage=()
clean_up() {
    trap - EXIT INT TERM HUP
    set +e
    remove_server
    undo_restore
    rm -rf "$work" ${garbage[@]+"${garbage[@]}"}
}

# Adds up numbers, one a line.
total() { awk '{ sum += $1 } END { printf "%d", sum }'; }

# MARK: Encryption

# Encrypts what comes, for all recipients, into a file. $1: the file.
seal() {
    local recipients=() recipient
    while IFS= read -r -d , recipient; do recipients+=(-r "$recipient"); done <<<"$(setting VIGIL_BACKUP_RECIPIENT),"
    age "${recipients[@]}" >"$1" 2>"$work/seal" && sync "$1" 2>>"$work/seal"
}

check_recipient() {
    local recipient
    recipient=$(setting VIGIL_BACKUP_RECIPIENT)
    [ -n "$recipient" ] ||
        fail "For whom shall backups be encrypted? Run age-keygen on another machine, and set VIGIL_BACKUP_RECIPIENT in .env."
    seal "$work/empty" </dev/null || fail "VIGIL_BACKUP_RECIPIENT is no recipient of age ($recipient): it begins with age1. $(tail -n 1 "$work/seal")"
}

# Says why nothing could be written, and ends. $1: what failed.
fail_to_seal() {
    if grep -qi 'no space left' "$work"/seal "$work"/server 2>/dev/null; then
        fail "$1 is not backed up: the disk of $store is full. Make room, and run this again; earlier backups are as they were."
    fi
    fail "$1 is not backed up ($(cat "$work"/seal "$work"/server 2>/dev/null | grep -v 'age: report\|^ *$\|kB (\|checkpoint' | tail -n 1)). Earlier backups are as they were."
}

# Decrypts a file to the standard output, with a bar. $1: the file; $2: what it is.
unseal() {
    local total watcher status=0
    total=$(stat -c %s "$1")
    # Both share the position in the file.
    exec 7<"$1"
    if [ -t 2 ]; then
        while sleep 0.5; do bar "$2" "$(sed -n 's/^pos:\t*//p' /proc/self/fdinfo/7)" "$total"; done &
        watcher=$!
    fi
    age --decrypt --identity "$identity" <&7 2>"$work/unseal" || status=$?
    exec 7<&-
    if [ -n "${watcher:-}" ]; then
        kill "$watcher" 2>/dev/null && wait "$watcher" 2>/dev/null || true
        end_bar
    fi
    return "$status"
}

# Says why a file couldn't be decrypted or unpacked, and ends. $1: the file.
fail_to_unseal() {
    case $(cat "$work/unseal") in
        *"no identity matched"*) fail "$identity doesn't open ${1#"$store/"}: it was encrypted for another recipient. Name the identity that belongs to it." ;;
        *"failed to decrypt"* | *"unexpected EOF"* | *"parse"* | *"header"* | *"truncated"*)
            fail "${1#"$store/"} is damaged: fetch another copy of it, or use an earlier backup (bash deploy/backup.sh list)."
            ;;
    esac
    if grep -qi 'no space left' "$work"/*; then fail "The disk is full: make room, and run this again."; fi
    fail "${1#"$store/"} can't be read ($(cat "$work/unseal" "$work/unpack" 2>/dev/null | tail -n 1))."
}

# MARK: The folder of backups

# Names of complete backups, the oldest first. $1: base or files.
backups() {
    local folder
    for folder in "$store/$1"-*/; do
        [ ! -e "$folder/MANIFEST" ] || basename "$folder"
    done
}

# A value of a manifest. $1: the backup's name; $2: the word.
fact() { sed -n "s/^$2 //p" "$store/$1/MANIFEST" | sed -n 1p; }

# Seconds since 1970 of a backup's name.
instant() {
    local stamp=${1#*-}
    date -u -d "${stamp:0:4}-${stamp:4:2}-${stamp:6:2} ${stamp:9:2}:${stamp:11:2}:${stamp:13:2}" +%s
}
shown() { date -u -d "@$1" '+%F %T UTC'; }

# The place of a segment in the log, whatever its timeline. A segment has 16 MiB.
place() { printf '%d' $((16#${1:8:8} * 256 + 16#${1:16:8})); }

# Names of the log's files without their checksums: segments in the order of the log, and histories of timelines.
logged() { find "$store/log" -name '*.age' -printf '%f\n' 2>/dev/null | sed -nE 's/^(.*)\.[0-9a-f]{64}\.age$/\1/p'; }
segments() { logged | grep -xE '[0-9A-F]{24}' | sort -k 1.9; }

# The encrypted file of a name. $1: the name.
log_file() { find "$store/log" -regextype posix-extended -regex ".*/$1\.[0-9a-f]{64}\.age" | sed -n 1p; }

# The timelines of the log, the oldest first, each with the place of its first segment. Each restore begins one: from there on, what
# older ones have was given up.
timelines() {
    segments | sort | awk '{ timeline = substr($0, 1, 8); if (timeline != last) print; last = timeline }' | while read -r name; do
        say "${name:0:8} $(place "$name")"
    done
}

# Whether a restore went back to before a copy of the database. $1: its name.
is_given_up() {
    local timeline start base_timeline end
    base_timeline=$(fact "$1" first-segment | cut -c 1-8)
    end=$(place "$(fact "$1" end-segment)")
    while read -r timeline start; do
        if [[ $timeline > $base_timeline ]] && [ "$start" -lt "$end" ]; then return 0; fi
    done < <(timelines)
    return 1
}

# Names of the copies of the database that can be restored, the oldest first.
usable_bases() {
    local name
    while read -r name; do
        is_given_up "$name" || say "$name"
    done < <(backups base)
}

# The first segment that the log lacks from a copy of the database on, though it has later ones; nothing if there is none.
# $1: the copy's name.
gap() {
    {
        timelines | sed 's/^/timeline /'
        segments
    } | awk -v first="$(place "$(fact "$1" first-segment)")" -v timeline="$(fact "$1" first-segment | cut -c 1-8)" '
        function number(digits,   value, position) {
            for (position = 1; position <= length(digits); position++)
                value = value * 16 + index("0123456789ABCDEF", substr(digits, position, 1)) - 1
            return value
        }
        $1 == "timeline" { if ($2 > timeline) start[$2] = $3; next }
        { at = number(substr($0, 9, 8)) * 256 + number(substr($0, 17, 8)); has[substr($0, 1, 8), at] = 1; if (at > last) last = at }
        END {
            for (at = first; at <= last; at++) {
                owner = timeline
                for (other in start) if (start[other] <= at && other > owner) owner = other
                if ((owner, at) in has) continue
                # Nothing later has been written in the newest timeline.
                for (later = at + 1; later <= last; later++) if ((owner, later) in has) break
                newest = owner
                for (other in start) if (other > newest) newest = other
                if (at > first && later > last && newest == owner) exit
                printf "%s%08X%08X\n", owner, int(at / 256), at % 256
                exit
            }
            if (last < first) printf "%s%08X%08X\n", timeline, int(first / 256), first % 256
        }'
}

# deploy/backup.sh list and verify: says what is there, and whether it is whole. Sourced, not run.

list() {
    local name end lacks until
    [ -n "$(backups base)$(backups files)" ] || fail "$store has no complete backup: run bash deploy/backup.sh run."
    end=$(find "$store/log" -name '*.age' -printf '%T@\n' 2>/dev/null | sort -n | tail -n 1)
    while read -r name; do
        if is_given_up "$name"; then
            until="never: a restore went back to before it"
        else
            lacks=$(gap "$name")
            until="from $(fact "$name" finished) to $(if [ -z "$lacks" ]; then shown "${end%.*}"; else say "before the missing segment $lacks of the log"; fi)"
        fi
        say "$name  $(size "$(stat -c %s "$store/$name/base.tar.gz.age")")  $until"
    done < <(backups base)
    while read -r name; do
        say "$name  $(size "$(stat -c %s "$store/$name"/*.age | total)")  $(fact "$name" files) files"
    done < <(backups files)
    say "log  $(segments | wc -l) segments, $(size "$(find "$store/log" -name '*.age' -printf '%s\n' | total)")"
}

# Compares a backup's files with its manifest; prints those that differ. $1: its name.
differing() {
    local sum file word
    while read -r word sum file; do
        [ "$word" != sha256 ] || [ "$(sha256sum <"$store/$1/$file" 2>/dev/null | cut -c 1-64)" = "$sum" ] || say "$1/$file"
    done <"$store/$1/MANIFEST"
}

# The same for files of the log, each of which has its checksum in its name. Arguments: the files.
differing_log() {
    local file number=0
    for file; do
        number=$((number + 1))
        bar "Checking the log" "$number" $#
        [[ $file =~ \.([0-9a-f]{64})\.age$ ]]
        [ "$(sha256sum <"$file" | cut -c 1-64)" = "${BASH_REMATCH[1]}" ] || say "${file#"$store/"}"
    done
    end_bar
}

verify() {
    local name files=() wrong lacks newest
    newest=$(usable_bases | tail -n 1)
    [ -n "$newest" ] && [ -n "$(backups files)" ] || fail "$store has no complete backup: run bash deploy/backup.sh run."
    mapfile -t files < <(find "$store/log" -name '*.age')
    wrong=$({
        for name in $(backups base) $(backups files); do differing "$name"; done
        differing_log ${files[@]+"${files[@]}"}
    } | paste -s -d ' ')
    [ -z "$wrong" ] || fail "These files are damaged or missing: $wrong. Fetch other copies of them, or use backups without them."
    for name in $(backups base); do
        ! is_given_up "$name" || continue
        lacks=$(gap "$name")
        [ -z "$lacks" ] || fail "The log lacks the segment $lacks: $name can restore nothing after it. Run bash deploy/backup.sh run, which needs nothing from before."
    done
    say "$(backups base | wc -l) copies of the database, $(backups files | wc -l) of the files and ${#files[@]} files of the log are what they were, and the log has no gap."
    [ -n "$identity" ] || {
        say "Nothing was decrypted: with --identity FILE the newest backup is tried, too."
        return 0
    }
    into=$(mktemp -d "${TMPDIR:-/var/tmp}/vigil-verify.XXXXXX")
    garbage+=("$into")
    rmdir "$into"
    restore_into
}

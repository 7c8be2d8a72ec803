#!/usr/bin/env bash
# Interrupts the first start of the suite in containers, and lets its disk be full.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/first-start.sh [--every N]

Runs deploy/secrets.sh as root, without containers: what docker compose would run is run here. It is killed again and again, each time some
commands later than before, until it gets through. After each time nothing that existed may have changed, and in the end everything
has to be as after a start that nobody interrupted. `vigil` is killed as well, at each of its first steps. Then the same with a disk that is full:
the script has to say what to do, and to get through as soon as there is room. Takes about a minute.

  --every N   kills at each Nth command (default 97)
  --help      this text
TEXT
}

every=97
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --every)
            [[ ${2:-} =~ ^[1-9][0-9]{0,4}$ ]] || fail "--every needs a number from 1 to 99999."
            every=$2
            shift
            ;;
        *) fail "first-start.sh has no option $1; see --help." ;;
    esac
    shift
done
[ "$(id -u)" = 0 ] || fail "first-start.sh changes owners of files: run it as root."

prepare_machine
cd "$checkout"
[ -n "${VIGIL_BUILT:-}" ] || swift build --product vigil || fail "The build failed: see what the compiler says above."
vigil=$checkout/.build/debug/vigil

work=$(mktemp -d /tmp/vigil-first-start.XXXXXX)
finish() {
    umount "$work/full" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir "$work/commands"

# MARK: What stands for docker compose

# Commands that count themselves, and end the script that runs them if their number is that of the file `kill`. A real container's end
# comes as suddenly.
for name in cp chmod chown mv cat mkdir rm sha256sum cut tr vigil; do
    real=$(command -v "$name") || real=$vigil
    cat >"$work/commands/$name" <<TEXT
#!/bin/bash
# Each adds a byte, also those that run at the same time.
echo >>"$work/count"
[ "\$(stat -c %s "$work/count")" -lt "\$(<"$work/kill")" ] || kill -KILL 0
exec $real "\$@"
TEXT
done
# The same for one of vigil's own renamings, each of which makes a file.
cat >"$work/vigil-killed" <<TEXT
#!/bin/bash
exec strace -f -qq -o /dev/null -e trace=rename,renameat,renameat2 \
    -e inject=rename,renameat,renameat2:signal=KILL:when="\$(<"$work/when")" $vigil "\$@"
TEXT
cat >"$work/compose" <<TEXT
#!/bin/bash
case \$1 in
    run) ;;
    *) exit 0 ;;
esac
sed "s|/secrets|\$VIGIL_SECRETS|g" "$checkout/deploy/secrets/prepare.sh" >"$work/prepare.sh"
: >"$work/count"
# A process group of its own, which \`kill 0\` ends.
PATH="$work/commands:\$PATH" setsid --wait sh "$work/prepare.sh" >>"$work/output" 2>&1
TEXT
chmod +x "$work/compose" "$work/vigil-killed" "$work/commands"/*

# $1: the folder; the output is in the file `output`.
secrets() {
    : >"$work/output"
    VIGIL_SECRETS=$1 bash deploy/secrets.sh --no-preflight --compose "$work/compose" >>"$work/output" 2>&1
}

# Everything that containers or callers were given, and secrets: none of it may ever change. $1: the folder.
given() {
    # What ends with .new isn't there yet.
    (cd "$1" && find files callers state/secrets -type f ! -name '*.new*' -exec sha256sum {} + 2>/dev/null | LC_ALL=C sort) || true
}

# What a folder has: names, owners and modes. $1: the folder.
shape() { (cd "$1" && find . ! -path '*/given/*' -printf '%P %u:%g %m\n' | sort); }

# $1: what was given before; $2: the folder.
check_unchanged() {
    local changed
    given "$2" >"$work/now"
    changed=$(LC_ALL=C comm -23 "$1" "$work/now")
    [ -z "$changed" ] || fail "FAILED: what existed was changed: $changed"
}

# MARK: The control

echo 999999 >"$work/kill"
say "Starting without an interruption …"
secrets "$work/whole" || fail "FAILED: secrets.sh doesn't even work alone: $(tail -n 3 "$work/output")"
commands=$(stat -c %s "$work/count")
[ "$(given "$work/whole" | wc -l)" -gt 100 ] || fail "FAILED: secrets.sh made hardly anything."
given "$work/whole" >"$work/before"
secrets "$work/whole" || fail "FAILED: a second run: $(tail -n 3 "$work/output")"
check_unchanged "$work/before" "$work/whole"
# The check can fail.
(echo x >>"$work/whole/files/tan-key" && check_unchanged "$work/before" "$work/whole") 2>/dev/null &&
    fail "FAILED: a change wasn't noticed."

# MARK: Killed

say "Killing vigil at its first steps …"
mv "$work/commands/vigil" "$work/vigil-counted"
cp "$work/vigil-killed" "$work/commands/vigil"
for when in 1 2 3 5 8 13 21 34 55; do
    echo "$when" >"$work/when"
    given "$work/killed" >"$work/before" 2>/dev/null || true
    ! secrets "$work/killed" || continue
    grep -q "run this script again. What exists is kept" "$work/output" || fail "FAILED: no word on what to do: $(tail -n 3 "$work/output")"
    check_unchanged "$work/before" "$work/killed"
done
cp "$work/vigil-counted" "$work/commands/vigil"

say "Killing secrets.sh at each ${every}th of $commands commands …"
kills=0
for ((at = 1; ; at += every)); do
    echo "$at" >"$work/kill"
    given "$work/killed" >"$work/before"
    ! secrets "$work/killed" || break
    [ "$at" -le $((2 * commands)) ] || fail "FAILED: it doesn't get through after $kills kills: $(tail -n 3 "$work/output")"
    kills=$((kills + 1))
    grep -q "run this script again. What exists is kept" "$work/output" || fail "FAILED: no word on what to do: $(tail -n 3 "$work/output")"
    check_unchanged "$work/before" "$work/killed"
done
check_unchanged "$work/before" "$work/killed"
[ "$kills" -ge 5 ] || fail "FAILED: it was killed only $kills times."
diff <(shape "$work/whole") <(shape "$work/killed") ||
    fail "FAILED: after $kills kills the folder differs from one without, see above."

# MARK: A full disk

say "Filling the disk …"
mkdir "$work/full"
mount -t tmpfs -o size=300k tmpfs "$work/full"
echo 999999 >"$work/kill"
! secrets "$work/full" || fail "FAILED: secrets.sh says that it works on a full disk."
grep -qi "space" "$work/output" || fail "FAILED: it doesn't say that the disk is full: $(cat "$work/output")"
grep -q "run this script again. What exists is kept" "$work/output" || fail "FAILED: no word on what to do: $(tail -n 3 "$work/output")"
given "$work/full" >"$work/before"
mount -o remount,size=16m "$work/full"
secrets "$work/full" || fail "FAILED: it doesn't work with room either: $(tail -n 3 "$work/output")"
check_unchanged "$work/before" "$work/full"
diff <(shape "$work/whole" | tail -n +2) <(shape "$work/full" | tail -n +2) || fail "FAILED: after a full disk the folder differs, see above."
say "All passed: $kills kills, and a full disk."

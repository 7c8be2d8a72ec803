#!/usr/bin/env bash
# Tests deploy/backup.sh and deploy/remove.sh on a real PostgreSQL, without containers.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Backup/backup.sh

As root: makes backups of a suite's database and files, loses the machine, and restores it, to the end of the log and to moments before;
then whatever can go wrong: full disks, interrupted runs, other keys, files that were cut, altered, lost. Each must end in a sentence
that says what to do, and leave earlier backups and the machine as they were. Takes about two minutes.

Docker is replaced by Tests/Backup/docker. Tests/Live/rehearsal.sh plays a part of this with containers. The program `vigil` is that of
.build/debug, or of the folder VIGIL_PROGRAMS.

  --help   this text
TEXT
}
case ${1:-} in
    -h | --help)
        usage
        exit 0
        ;;
    ?*) fail "backup.sh has no option $1; see --help." ;;
esac
[ "$(id -u)" = 0 ] || fail "The files have several owners: run it as root."
packages+=(age)
prepare_machine
if [ -z "${VIGIL_PROGRAMS:-}" ]; then
    [ -n "${VIGIL_BUILT:-}" ] || swift build --package-path "$checkout" --product vigil
fi

scratch=$(mktemp -d /tmp/vigil-scratch.XXXXXX)
export MACHINE=$scratch/machine VIGIL="${VIGIL_PROGRAMS:-$checkout/.build/debug}/vigil"
finish() {
    trap - EXIT INT TERM HUP
    mountpoint -q "$scratch/small" && umount "$scratch/small"
    local container
    for container in "$scratch"/*/docker/containers/*/process; do
        [ ! -e "$container" ] || kill -KILL "$(cat "$container")" 2>/dev/null || true
    done
    # A container's mounts end with it.
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir "$scratch/bin" && ln -s "$checkout/Tests/Backup/docker" "$scratch/bin/docker"
PATH="$scratch/bin:$PATH"
store=$scratch/elsewhere

# MARK: What is said and done

problems=0
object() { problems=$((problems + 1)) && say "OBJECTION: $*"; }

backup() { bash "$MACHINE/checkout/deploy/backup.sh" "$@" >"$scratch/words" 2>&1 </dev/null; }

# Must succeed and say something. $1: a pattern; then the arguments of backup.sh.
does() {
    backup "${@:2}" || { object "backup.sh ${*:2} failed: $(tail -n 2 "$scratch/words")" && return; }
    grep -qE -- "$1" "$scratch/words" || object "backup.sh ${*:2} doesn't say $1: $(cat "$scratch/words")"
}

# Must fail with one sentence as its last line.
refuses() {
    ! backup "${@:2}" || { object "backup.sh ${*:2} should fail with $1: $(tail -n 1 "$scratch/words")" && return; }
    grep -v '^Undoing' "$scratch/words" | tail -n 1 | grep -E -- "$1" >/dev/null || object "backup.sh ${*:2} doesn't fail with $1: $(cat "$scratch/words")"
}

# A number that the database knows. $1: a query.
asked() { docker compose exec -T postgres psql -X -q -A -t -d vigil -c "$1" </dev/null; }
must_be() { [ "$1" = "$2" ] || object "$3: $1 instead of $2."; }

use_tan() { asked "INSERT INTO verification.used_tan (digest, tag, day) VALUES (decode(repeat('0$1', 32), 'hex'), decode(repeat('0$1', 32), 'hex'), (extract(epoch FROM now()) / 86400)::int)"; }
used_tans() { asked "SELECT string_agg(substr(encode(digest, 'hex'), 2, 1), '' ORDER BY digest) FROM verification.used_tan"; }

# A checkout as someone fetches it.
fetch() {
    mkdir -p "$MACHINE/checkout/deploy"
    cp -r "$checkout"/deploy/{backup,backup.sh,backup.yml,machine.sh,secrets.sh,remove.sh,portal,postgres} "$MACHINE/checkout/deploy/" 2>/dev/null || true
    cp "$checkout/docker-compose.yml" "$checkout/.gitignore" "$MACHINE/checkout/"
    git -C "$MACHINE/checkout" init -q
    git -C "$MACHINE/checkout" add -A
    git -C "$MACHINE/checkout" -c user.name=Test -c user.email=test@example.org commit -q -m Suite
    cat >"$MACHINE/config.json" <<TEXT
{
  "name": "vigil",
  "services": { "health-portal": { "volumes": [
        {
          "type": "bind",
          "source": "$MACHINE/checkout/deploy/portal",
          "target": "/portal"
        },
        {
          "type": "volume",
          "source": "database",
          "target": "/var/lib/postgresql/data"
        },
        {
          "type": "bind",
          "source": "$MACHINE/checkout/deploy/postgres",
          "target": "/etc/vigil"
        }
  ] } },
  "secrets": {
    "apns-key.p8": {
      "file": "$MACHINE/etc/apns/key.p8"
    },
    "denied": {
      "file": "$MACHINE/checkout/.secrets/files/denied"
    }
  }
}
TEXT
}

lose_machine() {
    docker compose down --volumes
    rm -rf "$scratch/lost"
    mv "$MACHINE" "$scratch/lost"
    mkdir "$MACHINE"
    fetch
}

# MARK: A suite that stores something

say "Starting a suite …"
mkdir "$MACHINE"
fetch
age-keygen -o "$scratch/identity" 2>/dev/null
age-keygen -o "$scratch/other" 2>/dev/null
refuses 'Where are the backups\? Set VIGIL_BACKUPS' list
cat >"$MACHINE/checkout/.env" <<TEXT
COMPOSE_FILE=docker-compose.yml:deploy/backup.yml:deploy/own.yml
VIGIL_ARCHIVE=$MACHINE/archive
VIGIL_BACKUPS=$store
TEXT
refuses 'Run age-keygen on another machine' set-up
printf 'VIGIL_BACKUP_RECIPIENT=age1nobody\n' >>"$MACHINE/checkout/.env"
refuses 'no recipient of age' set-up
sed -i "s/age1nobody/$(age-keygen -y "$scratch/identity")/" "$MACHINE/checkout/.env"
# The operator's own.
printf 'services: {}\n' >"$MACHINE/checkout/deploy/own.yml"
printf '[]\n' >"$MACHINE/checkout/deploy/portal/authorities.json"
install -d -m 0750 "$MACHINE/etc/apns"
printf 'key\n' | install -m 0400 -o 10001 -g 10001 /dev/stdin "$MACHINE/etc/apns/key.p8"
docker compose run --rm secrets
mkdir -p "$MACHINE/docker/volumes/vigil_hour-keys"
printf 'PRIVATEHOURKEY\n' >"$MACHINE/docker/volumes/vigil_hour-keys/1"
docker compose up -d postgres
docker compose exec -T postgres psql -X -q -c 'CREATE ROLE vigil_owner LOGIN CREATEROLE' </dev/null
docker compose exec -T postgres psql -X -q -c 'CREATE DATABASE vigil OWNER vigil_owner' </dev/null
docker compose run --rm migrate >/dev/null

refuses 'set-up' run
refuses 'no complete backup' list
refuses 'no complete backup' verify
does 'Next: bash deploy/backup.sh run' set-up

say "Backing up …"
use_tan 1
asked "INSERT INTO submission.hour_key VALUES (1, decode(repeat('01', 32), 'hex'), true), (2, decode(repeat('02', 32), 'hex'), false)"
asked "INSERT INTO submission.inbox VALUES (decode(repeat('01', 32), 'hex'), 2, 'sealed')"
asked "INSERT INTO donation.hour_key VALUES (2, decode(repeat('02', 32), 'hex'), false)"
does 'base-.* is complete' run
use_tan 2
sleep 1
between=$(date -u '+%F %T')
sleep 1
use_tan 3
# Revoked after the copy.
printf 'stolen\n' >>"$MACHINE/checkout/.secrets/files/denied"
does 'files-.* is complete' run --log
use_tan 4
must_be "$(asked "SELECT count(*) FROM pg_db_role_setting, unnest(setconfig) AS entry WHERE entry ~ '^vigil.backup_(base|log)=1[0-9]{9}$'")" 2 "Instants in the database"
does '^base-.*from 20' list
does 'the log has no gap' verify
does 'read every row' verify --identity "$scratch/identity"
refuses "doesn't open (base|files).*another recipient" verify --identity "$scratch/other"
does 'until 20.*: [0-9]+ new files' run --log
must_be "$(find "$store" -maxdepth 1 -name 'files-*' | wc -l)" 2 "Folders of files, of which the third would be the same"
must_be "$(find "$MACHINE/archive/wal" -type f | wc -l)" 0 "Files of the log that aren't encrypted"
# What can be read by whoever has the identity, and by whoever hasn't.
for file in "$store"/*/*.age; do age --decrypt --identity "$scratch/identity" "$file" | gunzip; done >"$scratch/everything"
grep -qa stolen "$scratch/everything" || object "The denied certificates aren't in the backup."
! grep -qa PRIVATEHOURKEY "$scratch/everything" || object "The private hour keys are in the backup."
! grep -qa catalog.sql "$scratch/everything" || object "The backup has files that git has."
! grep -qra -e stolen -e 'PRIVATE KEY' "$store" || object "The backup has something that isn't encrypted."
rm "$scratch/everything"

# MARK: The machine is lost

say "Losing the machine …"
refuses 'this exists: the volume vigil_database.*the folder .*/.secrets' restore --identity "$scratch/identity" --from "$store"
refuses 'It would refuse.*vigil_database' restore --identity "$scratch/identity" --dry-run
must_be "$(used_tans)" 1234 "After refusals, used TANs"
lose_machine
does 'Nothing was done' restore --identity "$scratch/identity" --from "$store" --dry-run
must_be "$(ls -A "$MACHINE/checkout/.secrets" "$MACHINE/docker/volumes" 2>/dev/null | grep -c '^[^/]' || true)" 0 "Files after a dry run"
printf '["mine"]\n' >"$MACHINE/checkout/deploy/portal/authorities.json"
refuses 'this exists: .*authorities.json' restore --identity "$scratch/identity" --from "$store"
git -C "$MACHINE/checkout" checkout -q deploy/portal/authorities.json
refuses "doesn't open files" restore --identity "$scratch/other" --from "$store"

# As if somebody wrote a manifest for a file that was cut.
forge() {
    local file=$1 sum
    sum=$(sha256sum <"$store/$file" | cut -c 1-64)
    sed -i "s/^sha256 [0-9a-f]* ${file##*/}/sha256 $sum ${file##*/}/" "$store/${file%/*}/MANIFEST"
}
base=$(cd "$store" && ls -d base-*)
cp -a "$store" "$scratch/copy"
truncate -s -1 "$store/$base/base.tar.gz.age"
refuses "damaged or missing: $base/base.tar.gz.age" restore --identity "$scratch/identity" --from "$store"
forge "$base/base.tar.gz.age"
refuses "$base/base.tar.gz.age is damaged" restore --identity "$scratch/identity" --from "$store"
must_be "$(ls "$MACHINE/docker/volumes")" "" "Volumes after a restore that failed"
[ ! -e "$MACHINE/checkout/.env" ] && [ ! -e "$MACHINE/checkout/.secrets" ] && [ ! -e "$MACHINE/etc" ] || object "A restore that failed left files."
[ -z "$(git -C "$MACHINE/checkout" status --porcelain)" ] || object "A restore that failed changed the checkout: $(git -C "$MACHINE/checkout" status --porcelain)"
rm -rf "$store" && cp -a "$scratch/copy" "$store"

does 'Next: docker compose up' restore --identity "$scratch/identity" --from "$store"
must_be "$(used_tans)" 1234 "Used TANs after a restore"
must_be "$(asked 'SELECT count(*) FROM submission.inbox')" 0 "Uploads that nobody can open"
must_be "$(asked 'SELECT string_agg(hour::text, $$,$$) FROM submission.hour_key')" 1 "Hours with a key"
must_be "$(asked 'SELECT count(*) FROM donation.hour_key')" 0 "Hours with a key, donations"
must_be "$(asked "SELECT has_function_privilege('vigil_fold', 'pg_stat_get_numscans(oid)', 'EXECUTE')")" f "Whether services may read statistics"
must_be "$(tail -n 1 "$MACHINE/checkout/.secrets/files/denied")" stolen "The last denied certificate"
must_be "$(stat -c '%u %a' "$MACHINE/etc/apns/key.p8") $(stat -c %a "$MACHINE/etc/apns")" "10001 400 750" "Owner and modes of Apple's key"
must_be "$(cat "$MACHINE/checkout/deploy/portal/authorities.json")" "[]" "The authorities"
for file in .env deploy/own.yml .secrets/state/certificates/ca.key .secrets/state/secrets/tan-key; do
    cmp -s "$scratch/lost/checkout/$file" "$MACHINE/checkout/$file" || object "$file isn't what it was."
done
must_be "$(ls "$MACHINE/docker/volumes")" vigil_database "Volumes"
must_be "$(ls -A "$MACHINE/archive")" "wal" "The archive's folders"
refuses 'this exists: the volume vigil_database' restore --identity "$scratch/identity"
# The restored suite goes on backing up, in a timeline of its own, and that can be restored, too.
use_tan 5
does 'base-.* is complete' run
use_tan 6
does 'The log is backed up' run --log
does 'read every row' verify --identity "$scratch/identity"

say "Restoring to moments …"
lose_machine
refuses 'is no moment' restore --identity "$scratch/identity" --from "$store" --to yesterdayish
refuses "hasn't come yet" restore --identity "$scratch/identity" --from "$store" --to '2999-01-01'
refuses 'no complete backup from before 2020' restore --identity "$scratch/identity" --from "$store" --to '2020-01-01'
does 'Restored up to' restore --identity "$scratch/identity" --from "$store" --to "$between"
must_be "$(used_tans)" 12 "Used TANs at the moment between"
must_be "$(tail -n 1 "$MACHINE/checkout/.secrets/files/denied")" stolen "The last denied certificate at a moment before it"
# The restored suite goes on from there. What was stored after the moment was given up, with the second copy of the database.
rm -rf "$scratch/copy" && cp -a "$store" "$scratch/copy"
use_tan 7
does 'The log is backed up' run --log
does 'never: a restore went back to before it' list
does 'the log has no gap' verify
lose_machine
does 'Restored up to' restore --identity "$scratch/identity" --from "$store"
must_be "$(used_tans)" 127 "Used TANs after a loss that followed a restore to a moment"
rm -rf "$store" && cp -a "$scratch/copy" "$store"
lose_machine
does 'Restored up to' restore --identity "$scratch/identity" --from "$store"
must_be "$(used_tans)" 123456 "Used TANs after the second loss"
mkdir "$scratch/full" && touch "$scratch/full/file"
refuses 'has content' restore --identity "$scratch/identity" --into "$scratch/full"
does 'can be restored' restore --identity "$scratch/identity" --into "$scratch/folder"
must_be "$(tail -n 1 "$(find "$scratch/folder" -name denied | head -n 1)")" stolen "The denied certificate in the folder"
rm -rf "$scratch/folder"

# MARK: What can go wrong

say "Breaking backups …"
# Until a run is at its base backup, and then stops for good. $1: the signal.
interrupt() {
    local id second
    bash "$MACHINE/checkout/deploy/backup.sh" run >"$scratch/words" 2>&1 </dev/null &
    id=$!
    for second in $(seq 600); do
        [ -z "$(find "$store" -maxdepth 2 -path '*/.base-*' -name '*.age')" ] || break
        sleep 0.02
    done
    kill "-$1" "$id" || object "The run ended early: $(cat "$scratch/words")"
    wait "$id" 2>/dev/null && object "The run wasn't interrupted." || true
}
before=$(cd "$store" && ls)
interrupt TERM
must_be "$(cd "$store" && ls)" "$before" "Backups after a run that was ended"
must_be "$(find "$store" -maxdepth 1 -name '.base-*Z' | wc -l)" 0 "Unfinished backups after a run that was ended"
interrupt KILL
must_be "$(cd "$store" && ls)" "$before" "Backups after a run that was killed"
backup list
! grep -q '\.base' "$scratch/words" || object "An unfinished backup is listed."
# What the killed script had started still writes.
flock "$store/.base-lock" true
does 'is complete' run
must_be "$(find "$store" -maxdepth 1 -name '.base-*Z' | wc -l)" 0 "Unfinished backups after the next run"

rm -rf "$scratch/copy" && cp -a "$store" "$scratch/copy"
again() { rm -rf "$store" && cp -a "$scratch/copy" "$store"; }
base=$(cd "$store" && ls -d base-* | tail -n 1)
printf x | dd of="$store/$base/base.tar.gz.age" bs=1 seek=2000 conv=notrunc status=none
refuses "damaged or missing: $base/base.tar.gz.age" verify
forge "$base/base.tar.gz.age"
does 'the log has no gap' verify
refuses "$base/base.tar.gz.age is damaged" verify --identity "$scratch/identity"
again
rm "$store/$base/base.tar.gz.age"
refuses "damaged or missing: $base/base.tar.gz.age" verify
again
segment=$(find "$store/log" -regextype posix-extended -regex ".*/$(sed -n 's/^first-segment //p' "$store/$base/MANIFEST")\.[0-9a-f]{64}\.age")
truncate -s 100 "$segment"
refuses "damaged or missing: log/" verify
refuses "damaged or missing: log/" restore --identity "$scratch/identity" --into "$scratch/folder"
rm "$segment"
refuses 'The log lacks the segment' verify
again
# Another server that archives into the same folder.
name=$(basename "$segment") && name=${name%%.*}
head -c 16777216 /dev/zero | install -o 999 -m 0600 /dev/stdin "$MACHINE/archive/wal/$name"
refuses 'do two servers archive' run --log
rm "$MACHINE/archive/wal/$name"
does 'The log is backed up' run --log

# A disk that is full.
mkdir "$scratch/small" && mount -t tmpfs -o size=2m tmpfs "$scratch/small"
sed -i "s@^VIGIL_BACKUPS=.*@VIGIL_BACKUPS=$scratch/small@" "$MACHINE/checkout/.env"
rm -f "$MACHINE/archive/files"
refuses 'is not backed up: the disk of .*/small is full. Make room' run
refuses 'no complete backup' list
must_be "$(find "$scratch/small" -maxdepth 1 -name '.base-*Z' | wc -l)" 0 "Unfinished backups on the full disk"
sed -i "s@^VIGIL_BACKUPS=.*@VIGIL_BACKUPS=$store@" "$MACHINE/checkout/.env"
does 'is complete' run
does 'the log has no gap' verify

# What is too old goes, and what a kept copy needs stays.
for name in $(cd "$store" && ls -d base-* | head -n -1); do mv "$store/$name" "$store/base-20200101T00000${name: -2:1}Z"; done
does 'is complete' run
must_be "$(find "$store" -maxdepth 1 -name 'base-2020*' | wc -l)" 0 "Backups that are too old"
does 'the log has no gap' verify --identity "$scratch/identity"

# MARK: Away

say "Removing the suite …"
remove() { bash "$MACHINE/checkout/deploy/remove.sh" "$@" >"$scratch/words" 2>&1 </dev/null; }
removes() {
    remove "${@:2}" || { object "remove.sh ${*:2} failed: $(tail -n 2 "$scratch/words")" && return; }
    grep -qE -- "$1" "$scratch/words" || object "remove.sh ${*:2} doesn't say $1: $(cat "$scratch/words")"
}
doesnt_remove() {
    ! remove "${@:2}" || { object "remove.sh ${*:2} should fail with $1." && return; }
    tail -n 1 "$scratch/words" | grep -E -- "$1" >/dev/null || object "remove.sh ${*:2} doesn't fail with $1: $(cat "$scratch/words")"
}
before=$(used_tans)
removes 'volume vigil_database: [0-9]{3,} files' --everything --dry-run
doesnt_remove 'Nobody can be asked' --volumes
doesnt_remove "can't be written" --volumes --yes --record /proc/record
VIGIL_ARCHIVE=$MACHINE doesnt_remove 'has the checkout in it' --everything --yes
top=$(mktemp -d /vigil-scratch.XXXXXX)
VIGIL_ARCHIVE=$top doesnt_remove "$top is no folder of the suite" --everything --yes
rmdir "$top" || object "$top has been removed."
must_be "$(used_tans)" "$before" "Used TANs after removals that were refused"
removes 'The containers are gone'
docker compose up -d postgres
must_be "$(used_tans)" "$before" "Used TANs after the containers were removed"
removes 'says what was there' --everything --yes --record "$scratch/record"
[ ! -e "$MACHINE/checkout/.secrets" ] && [ ! -e "$MACHINE/archive" ] && [ ! -e "$store" ] && [ -z "$(ls "$MACHINE/docker/volumes")" ] ||
    object "Something is left after everything was removed."
for thing in "volume vigil_database" "folder $MACHINE/checkout/.secrets" "folder $MACHINE/archive" "folder $store"; do
    grep -qE "^$thing: [0-9]+ files, [0-9]+ bytes$" "$scratch/record" || object "The record doesn't have the $thing."
done
grep -q '^Looked again' "$scratch/record" || object "The record doesn't say that nothing is left."
[ -e "$MACHINE/checkout/docker-compose.yml" ] && [ -e "$MACHINE/checkout/.env" ] || object "The checkout is gone, too."
removes 'there was nothing else' --everything --yes

[ "$problems" = 0 ] || fail "FAILED: $problems objections, above."
say "PASSED: what was backed up can be restored, and what can't be is refused."

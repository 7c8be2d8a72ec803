#!/usr/bin/env bash
# Measures whether the memory of federation stays flat while it reads other countries' batches.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"
for file in "$checkout"/Tests/Benchmarks/Rows/*.sh; do . "$file"; done

usage() {
    cat <<'TEXT'
bash Tests/Benchmarks/batches.sh [--batches N]

Builds for release, and lets federation read batches of 5,000 keys from a gateway and store them in a throw-away PostgreSQL, as it does in
operation. It prints the most memory that the process had until a tenth of the batches was stored, and until all were. More than 16 MiB
between the two is an objection: of 900 batches that is less than four bytes for each key, so nothing is kept of keys, while the
allocator's own needs fit in. Other programs may be running meanwhile.

  --batches N   how many (default 1000)
  --help        this text
TEXT
}

batches=1000
while [ $# -gt 0 ]; do
    case $1 in
        --batches) batches=${2:?--batches needs a number} && shift ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "batches.sh has no option $1; see --help." ;;
    esac
    shift
done
[ "$batches" -ge 10 ] || fail "--batches must be 10 at least: a tenth is compared with all."

packages+=(openssl procps util-linux)
prepare_machine
prepare_nginx
check_disk "$checkout" 9000
cd "$checkout"
build_release benchmarks
benchmarks=$(swift build "${release[@]}" --show-bin-path)/benchmarks

federation=
federation_nginx=
finish() {
    trap - EXIT
    local id
    for id in $federation $federation_nginx; do kill "$id" 2>/dev/null || true; done
    stop_postgres
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

start_postgres taskset -c 0 -- -c max_wal_size=1GB
federation_files
federation_database
federation_gateway "$batches"
say "Reading $batches batches …"
federation_program serve &
job=$!
sleep 1
federation=$(pgrep -P "$job") || fail "federation doesn't start: $(tail -n 1 "$scratch/federation.log")"

# Waits until so many batches are stored. Prints the most memory that federation had so far, in KiB.
peak_after() {
    local stored=0 before=0 waited=0
    while [ "$stored" -lt "$1" ]; do
        # It rests for 20 s after 500 batches.
        [ "$waited" -lt 600 ] || fail "Nothing was stored for a minute after $stored batches: $(tail -n 1 "$scratch/federation.log")"
        sleep 0.1
        stored=$(federation_psql -c "SELECT count(*) FROM federation.incoming_batch WHERE state = 'imported'")
        if [ "$stored" = "$before" ]; then waited=$((waited + 1)); else waited=0; fi
        before=$stored
    done
    awk '/^VmHWM/ { print $2 }' "/proc/$federation/status"
}
early=$(peak_after $((batches / 10)))
say "$early KiB at most for the first tenth"
late=$(peak_after "$batches")
keys=$(federation_psql -c "SELECT count(*) FROM foreign_keys.diagnosis_key")
[ "$keys" = $((batches * 5000)) ] || fail "Of $((batches * 5000)) keys $keys were stored."
[ $((late - early)) -le 16384 ] || fail "FAILED: memory grew from $early KiB to $late KiB."
say "FLAT: $early KiB at most for the first tenth, $late KiB for all $keys keys."

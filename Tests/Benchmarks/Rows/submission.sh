# Submission, sealed inbox and fold. An upload needs the submission server, the verification server and PostgreSQL: all three
# count, on the first core, against pgbench and PostgreSQL, which do in one transaction what an upload comes down to: one
# TAN and fourteen keys.

submission_prepare() {
    [ -z "${submission_server:-}" ] || return 0
    verification_prepare
    mkdir -p "$scratch/suite/hour-keys"
    postgres_sql "CREATE TABLE IF NOT EXISTS bench_key (key_data bytea PRIMARY KEY, level smallint, start integer, period smallint,
        report_type smallint, onset smallint, hour integer)"
    # Makes the keys that uploads are sealed to, for the next twelve hours.
    submission_fold "$(date -u +%FT%TZ)" || fail "The fold failed: $(tail -n 1 "$scratch/fold.log")"
    submission_start 18900
    submission_server=$!
    serving_wait 18930
}

# Starts submission-server, at ports from $1 on.
submission_start() {
    verification_start submission-server vigil_submission LISTEN_PORT=$(($1 + 30)) ADMIN_PORT=$(($1 + 39)) \
        VERIFICATION_URL=https://localhost:$(($1 + 11)) SECRETS_TAG_KEY="$scratch/suite/key"
}

# Folds what ended by an instant, once.
submission_fold() {
    env LOG_LEVEL=error HOUR_KEYS_DIRECTORY="$scratch/suite/hour-keys" \
        POSTGRES_CONNECTION="host=$scratch user=vigil_fold dbname=postgres" \
        "${benchmarks%/*}/submission-server" fold --as-of "$1" >"$scratch/fold.log" 2>&1
}

# Nothing waits, and no TAN is used.
submission_reset() { postgres_sql "TRUNCATE submission.inbox" && bench_tan_reset verification.used_tan; }

upload_prepare() {
    submission_prepare
    cat >"$scratch/both.sql" <<SQL
\\set n random(0, $((verification_seeds - 1)))
BEGIN;
UPDATE bench_tan SET tag = sha256(:n::text::bytea)
WHERE digest = sha256(:n::text::bytea) AND tag IS NULL AND expires_at > now();
INSERT INTO bench_key SELECT uuid_send(gen_random_uuid()), (i % 8)::smallint, 2650000 + 144 * i, 144::smallint, 1::smallint,
    (i * 2)::smallint, 447000 FROM generate_series(0, 13) AS i ON CONFLICT DO NOTHING;
COMMIT;
SQL
}
upload_ours() {
    submission_reset && verification_rate uploads 18930 256 "$submission_server" "$verification_server"
}
upload_reference() {
    bench_tan_reset bench_tan && postgres_sql "TRUNCATE bench_key" && postgres_sql "CHECKPOINT" &&
        pgbench_cpu_rate "$scratch/both.sql" 1
}
upload_end() { :; }

# Everything that a phone's upload passes, the phones included, on both cores. The reference is a figure: a nation's day, 2,000
# cases, each second. The proxy's deadline can't be off; with as many phones at one time it is no bound: 512 every 0.1 s.
upload_end_to_end_prepare() {
    submission_prepare
    verification_proxy 18900
    proxy_of_uploads=$!
    serving_wait 18900
    local id
    for id in "$submission_server" "$verification_server" "$verification_postgres"; do taskset -a -p -c 0,1 "$id" >/dev/null; done
}
upload_end_to_end_ours() {
    submission_reset &&
        "$benchmarks" uploads --base https://localhost:18900 --folder "$scratch/suite" --tasks 512 --seconds "$seconds" \
            2>"$scratch/uploads.log" |
        sed -n 's/.*"operations":\([0-9]*\).*"seconds":\([0-9.]*\).*/\1 \2/p' | awk '{ print $1 / $2 }'
}
upload_end_to_end_reference() { echo 2000; }
upload_end_to_end_end() {
    kill "$proxy_of_uploads" && wait "$proxy_of_uploads" 2>/dev/null || true
    local id
    for id in "$submission_server" "$verification_server" "$verification_postgres"; do taskset -a -p -c 0 "$id" >/dev/null; done
}

# 100,000 uploads, as they came: opened, filled up, sorted, inserted, the inbox emptied. The reference is COPY of the very rows
# that the fold brought, by psql from a file of the binary format.
fold_100k_uploads=${FOLD_UPLOADS:-100000}
fold_100k_prepare() { fold_prepare "$fold_100k_uploads"; }

# Fills the inbox with so many uploads, and keeps it with the hours' keys, so that it can be folded repeatedly. Further arguments are
# for the program that uploads.
fold_prepare() {
    local uploads=$1
    submission_prepare
    submission_reset
    say "  uploading $uploads times …"
    taskset -c 1 "$benchmarks" uploads --base https://localhost:18930 --folder "$scratch/suite" --tasks 256 --seconds 600 \
        --limit "$uploads" "${@:2}" >/dev/null 2>"$scratch/uploads.log" || fail "The uploads to be folded failed."
    kill "$submission_server" && wait "$submission_server" 2>/dev/null || true
    submission_server=
    postgres_sql "DROP TABLE IF EXISTS bench_inbox, bench_hour_key"
    postgres_sql "CREATE TABLE bench_inbox AS TABLE submission.inbox"
    postgres_sql "CREATE TABLE bench_hour_key AS TABLE submission.hour_key"
    rm -rf "$scratch/suite/hour-keys-kept" && cp -a "$scratch/suite/hour-keys" "$scratch/suite/hour-keys-kept"
    # The hour after the last that has uploads: all of them are folded. It hasn't come yet, so the fold's clock is moved to it.
    postgres_sql "ALTER DATABASE postgres SET vigil.rehearsal = 'on'"
    fold_instant=$(postgres_value \
        "SELECT to_char(to_timestamp((max(hour) + 1) * 3600) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') FROM bench_inbox")
}
fold_100k_ours() {
    local took rows
    took=$(fold_seconds) && rows=$(fold_100k_rows) && [ "$rows" -ge $((fold_100k_uploads * 14)) ] &&
        awk -v n="$rows" -v t="$took" 'BEGIN { print n / t }'
}
# Folds the inbox that was kept, and prints how many seconds that took.
fold_seconds() {
    cp -a "$scratch/suite/hour-keys-kept/." "$scratch/suite/hour-keys/"
    postgres_sql "TRUNCATE submission.inbox, submission.diagnosis_key, submission.check_in_report, submission.venue_report,
        submission.folded_hour, submission.hour_key" &&
        postgres_sql "INSERT INTO submission.inbox TABLE bench_inbox" &&
        postgres_sql "INSERT INTO submission.hour_key TABLE bench_hour_key" &&
        postgres_sql "VACUUM ANALYZE submission.inbox" && postgres_sql "CHECKPOINT" || return
    { TIMEFORMAT=%R && time CLOCK_OFFSET=7200 submission_fold "$fold_instant"; } 2>&1
}
fold_100k_rows() { postgres_value 'SELECT count(*) FROM submission.diagnosis_key'; }
fold_100k_reference() {
    local took rows
    rows=$(fold_100k_rows)
    # In the order in which they lie there.
    postgres_sql "COPY (SELECT * FROM submission.diagnosis_key ORDER BY tableoid, ctid) TO '$scratch/data/keys' (FORMAT binary)" &&
        postgres_sql "TRUNCATE submission.diagnosis_key" && postgres_sql "CHECKPOINT" || return
    took=$({ TIMEFORMAT=%R && time postgres_sql "COPY submission.diagnosis_key FROM '$scratch/data/keys' (FORMAT binary)"; } 2>&1) || return
    awk -v n="$rows" -v t="$took" 'BEGIN { print n / t }'
}
fold_100k_end() { rm -f "$scratch/data/keys" && submission_prepare; }

# 100,000 venue reports of 1,000 uploads. The reference is COPY of the rows that the fold brought, as above.
venue_fold_prepare() { fold_prepare 1000 --venue-reports 100; }
venue_fold_ours() {
    local took rows
    took=$(fold_seconds) && rows=$(venue_fold_rows) && [ "$rows" -ge 100000 ] &&
        awk -v n="$rows" -v t="$took" 'BEGIN { print n / t }'
}
venue_fold_rows() { postgres_value 'SELECT count(*) FROM submission.venue_report'; }
venue_fold_reference() {
    local took rows
    rows=$(venue_fold_rows)
    postgres_sql "COPY (SELECT * FROM submission.venue_report ORDER BY tableoid, ctid) TO '$scratch/data/reports' (FORMAT binary)" &&
        postgres_sql "TRUNCATE submission.venue_report" && postgres_sql "CHECKPOINT" || return
    took=$({ TIMEFORMAT=%R && time postgres_sql "COPY submission.venue_report FROM '$scratch/data/reports' (FORMAT binary)"; } 2>&1) || return
    awk -v n="$rows" -v t="$took" 'BEGIN { print n / t }'
}
venue_fold_end() { rm -f "$scratch/data/reports" && submission_prepare; }

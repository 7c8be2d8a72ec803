# Distribution: a whole run against reading the same rows and doing nothing with them.

export_keys=${EXPORT_KEYS:-600000}

# An hour of keys as the fold leaves them: of 14 days, sorted by their content, a fifth with a short period.
export_from_postgres_prepare() {
    verification_prepare
    mkdir -p "$scratch/published"
    openssl ecparam -name prime256v1 -genkey -noout -out "$scratch/suite/export-signing.key" 2>/dev/null
    chmod 600 "$scratch/suite/export-signing.key"
    postgres_sql "SELECT submission.ensure_day(447000 / 24)"
    postgres_sql "TRUNCATE submission.diagnosis_key, submission.folded_hour"
    postgres_sql "INSERT INTO submission.diagnosis_key
        SELECT 447000, uuid_send(gen_random_uuid()), (447000 / 24 - 1 - n % 14) * 144,
            CASE WHEN n % 5 = 0 THEN 6 * (1 + n / 5 % 23) ELSE 144 END, 3 + n % 6, n % 14, 1
        FROM generate_series(1, $export_keys) AS n ORDER BY 3, 4, 5, 6, 2"
    postgres_sql "INSERT INTO submission.folded_hour VALUES (447000, $export_keys)"
    postgres_sql "VACUUM ANALYZE submission.diagnosis_key"
    export_instant=$(date -u -d "@$((447001 * 3600))" +%Y-%m-%dT%H:%M:%SZ)
}
export_from_postgres_ours() {
    rm -rf "$scratch/published/version"
    postgres_sql "TRUNCATE distribution.published_hour, distribution.signature" && postgres_sql "CHECKPOINT" && sync || return
    local took
    took=$({ TIMEFORMAT=%R && time env ADMIN_PORT=18949 LOG_LEVEL=error DIRECTORY="$scratch/published" \
        SIGNING_KEY="$scratch/suite/export-signing.key" \
        POSTGRES_CONNECTION="host=$scratch user=vigil_distribution dbname=postgres" \
        "${benchmarks%/*}/distribution" publish --as-of "$export_instant" >"$scratch/publish.log" 2>&1; } 2>&1) || return
    [ -s "$scratch/published/version/v1/diagnosis-keys/country/EUR/date/2020-12-29/hour/0" ] &&
        awk -v n="$export_keys" -v t="$took" 'BEGIN { print n / t }'
}
export_from_postgres_reference() {
    local took
    took=$({ TIMEFORMAT=%R && time "$postgres_programs/psql" -q -h "$scratch" -U postgres -d postgres -c \
        "COPY (SELECT hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type
            FROM submission.diagnosis_key) TO STDOUT (FORMAT binary)" >/dev/null; } 2>&1) || return
    awk -v n="$export_keys" -v t="$took" 'BEGIN { print n / t }'
}
export_from_postgres_end() { postgres_sql "TRUNCATE submission.diagnosis_key, submission.folded_hour"; }

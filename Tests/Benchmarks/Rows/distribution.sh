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
    # The program's clock shows the hour's end, so that no key has expired.
    postgres_sql "ALTER DATABASE postgres SET vigil.rehearsal = 'on'"
    export_instant=$(date -u -d "@$((447001 * 3600))" +%Y-%m-%dT%H:%M:%SZ)
}
# $1: the database. Prints the keys a second of a whole run, home keys and others.
export_run() {
    rm -rf "$scratch/published/version"
    postgres_sql_in "$1" "TRUNCATE distribution.published_hour, distribution.signature" && postgres_sql "CHECKPOINT" && sync || return
    local took offset
    offset=$((447001 * 3600 - 60 - $(date +%s)))
    took=$({ TIMEFORMAT=%R && time env ADMIN_PORT=18949 LOG_LEVEL=error CLOCK_OFFSET=$offset DIRECTORY="$scratch/published" \
        SIGNING_KEYS="262/v1=$scratch/suite/export-signing.key" \
        POSTGRES_CONNECTION="host=$scratch user=vigil_distribution dbname=$1" \
        "${benchmarks%/*}/distribution" publish --as-of "$export_instant" >"$scratch/publish.log" 2>&1; } 2>&1) || return
    # Each key has 16 bytes that can't be compressed; one or the other has expired.
    [ "$(stat -c %s "$scratch/published/version/v1/diagnosis-keys/country/EUR/date/2020-12-29/hour/0")" -gt $((export_keys * 15)) ] &&
        awk -v n="$export_keys" -v t="$took" 'BEGIN { print n / t }'
}
export_from_postgres_ours() { export_run postgres; }
export_from_postgres_reference() {
    local took
    took=$({ TIMEFORMAT=%R && time "$postgres_programs/psql" -q -h "$scratch" -U postgres -d postgres -c \
        "COPY (SELECT hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type
            FROM submission.diagnosis_key) TO STDOUT (FORMAT binary)" >/dev/null; } 2>&1) || return
    awk -v n="$export_keys" -v t="$took" 'BEGIN { print n / t }'
}
export_from_postgres_end() { postgres_sql "TRUNCATE submission.diagnosis_key, submission.folded_hour"; }

# The same with as many keys, nine tenths of which come from 20 countries: against the run with home keys alone. Six in ten of them name all
# countries, two name some, two none. So Germany's packages and Europe's differ, and both are encoded.
export_from_postgres_20_prepare() {
    export_from_postgres_prepare
    postgres_sql "CREATE DATABASE federated"
    postgres_sql "ALTER DATABASE federated SET vigil.rehearsal = 'on'"
    "$benchmarks" prepare-suite --connection "host=$scratch user=postgres dbname=federated" --folder "$scratch/published"
    local home=$((export_keys / 10))
    postgres_sql_in federated "SELECT submission.ensure_day(447000 / 24), foreign_keys.ensure_day(447000 / 24)"
    postgres_sql_in federated "INSERT INTO submission.diagnosis_key
        SELECT 447000, uuid_send(gen_random_uuid()), (447000 / 24 - 1 - n % 14) * 144,
            CASE WHEN n % 5 = 0 THEN 6 * (1 + n / 5 % 23) ELSE 144 END, 3 + n % 6, n % 14, 1
        FROM generate_series(1, $home) AS n ORDER BY 3, 4, 5, 6, 2"
    postgres_sql_in federated "INSERT INTO submission.folded_hour VALUES (447000, $home)"
    postgres_sql_in federated "WITH country (codes) AS (VALUES (string_to_array(
            'AT BE BG CH CY CZ DK EE ES FI FR HR IE IT LT LU LV NL NO PL', ' ')))
        INSERT INTO foreign_keys.diagnosis_key
        SELECT 447000, uuid_send(gen_random_uuid()), (447000 / 24 - 1 - n % 14) * 144,
            CASE WHEN n % 5 = 0 THEN 6 * (1 + n / 5 % 23) ELSE 144 END, 3 + n % 6, n % 14, 1, codes[1 + n % 20],
            CASE WHEN n % 10 < 6 THEN array_to_string(codes[1:6] || '{DE}' || codes[7:20], '')
                WHEN n % 10 < 8 THEN array_to_string(codes[1 + n / 20 % 18:3 + n / 20 % 18], '') ELSE '' END
        FROM country, generate_series($home + 1, $export_keys) AS n"
    postgres_sql_in federated "INSERT INTO foreign_keys.imported_hour VALUES (447000)"
    postgres_sql_in federated "VACUUM ANALYZE submission.diagnosis_key, foreign_keys.diagnosis_key"
}
export_from_postgres_20_ours() { export_run federated; }
export_from_postgres_20_reference() { export_run postgres; }
export_from_postgres_20_end() {
    export_from_postgres_end
    postgres_sql "DROP DATABASE federated"
}

# download-server against nginx on the same files: requests for each second of the server's processor time. Both stand on
# the first core, the client on the second; 64 connections that are kept.

serve_file=version/v1/diagnosis-keys/country/DE/date/2020-12-29/hour/13
serve_large=version/v1/diagnosis-keys/country/DE/date/2020-12-29/hour/14
serve_prepare() {
    [ -z "${serve_ours_id:-}" ] || return 0
    load_prepare
    mkdir -p "$scratch/served/${serve_file%/*}"
    head -c 40960 /dev/urandom >"$scratch/served/$serve_file"
    head -c 1048576 /dev/urandom >"$scratch/served/$serve_large"
    touch -d @1200000000 "$scratch/served/$serve_file" "$scratch/served/$serve_large"
    serve_start serve 18940 && serve_ours_id=$!
    serve_start serve-tls 18942 PUBLIC_CERTIFICATE="$load_folder/verification-server.pem" \
        PUBLIC_KEY="$load_folder/verification-server.key" && serve_tls_id=$!
    # What an operator would write: files from memory's cache by sendfile, the same header fields.
    nginx_start serve_reference 0 "
        sendfile on; tcp_nopush on; open_file_cache max=1024; default_type application/zip;
        ssl_certificate $load_folder/verification-server.pem; ssl_certificate_key $load_folder/verification-server.key;
        ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets off; ssl_session_cache off;
        server {
            listen 127.0.0.1:18941; listen 127.0.0.1:18943 ssl; root $scratch/served;
            location / {
                try_files \$uri \$uri/index =404;
                add_header Cache-Control 'public, max-age=3600';
            }
        }"
    serve_reference_id=$serve_reference_nginx
    local port
    for port in 18940 18941 18942 18943; do serving_wait "$port"; done
    serve_check
    serve_tag=$(curl -sI "http://127.0.0.1:18940/$serve_file" | sed -n 's/^etag: *\(.*\)\r$/\1/Ip')
    [ -n "$serve_tag" ] && [ "$serve_tag" = "$(curl -sI "http://127.0.0.1:18941/$serve_file" | sed -n 's/^etag: *\(.*\)\r$/\1/Ip')" ] ||
        fail "Ours and nginx give different entity tags."
    for port in 18940 18941; do
        [ "$(curl -so "$scratch/unchanged" -w '%{http_code}' -H "If-None-Match: $serve_tag" "http://127.0.0.1:$port/$serve_file")" = 304 ] ||
            fail "The server on port $port does not recognise its entity tag."
    done
    printf 'wrk.headers["If-None-Match"] = "%s"\n' "${serve_tag//\"/\\\"}" >"$scratch/serve-304.lua"
}

# $1: the name of its log; $2: its port; then further settings.
serve_start() {
    env VIGIL_CORES=1 DIRECTORY="$scratch/served" LISTEN_PORT="$2" ADMIN_PORT=$(($2 + 7)) LOG_LEVEL=error "${@:3}" \
        taskset -c 0 "${benchmarks%/*}/download-server" >"$scratch/$1.log" 2>&1 &
}

# Fails unless the servers give the files that there are.
serve_check() {
    local address file
    for address in http://localhost:18940 http://localhost:18941 https://localhost:18942 https://localhost:18943; do
        for file in "$serve_file" "$serve_large"; do
            curl -sf --cacert "$load_folder/authority.pem" "$address/$file" | cmp -s - "$scratch/served/$file" ||
                fail "$address/$file isn't the file: $(tail -qn 1 "$scratch"/serve*.log)"
        done
    done
}

# $1: the server's process id; $2: scheme, port and path; then further options of wrk.
serve_rate() { serving_wrk "$1" "${2%%:*}://127.0.0.1:${2#*:}" "${@:3}"; }

serve_1m_prepare() { serve_prepare; }
serve_1m_ours() { serve_rate "$serve_ours_id" "http:18940/$serve_large"; }
serve_1m_reference() { serve_rate "$serve_reference_id" "http:18941/$serve_large"; }
serve_1m_end() { serve_check; }
serve_1m_tls_prepare() { serve_prepare; }
serve_1m_tls_ours() { serve_rate "$serve_tls_id" "https:18942/$serve_large"; }
serve_1m_tls_reference() { serve_rate "$serve_reference_id" "https:18943/$serve_large"; }
serve_1m_tls_end() { serve_check; }
serve_40k_prepare() { serve_prepare; }
serve_40k_ours() { serve_rate "$serve_ours_id" "http:18940/$serve_file"; }
serve_40k_reference() { serve_rate "$serve_reference_id" "http:18941/$serve_file"; }
serve_40k_end() { serve_check; }
serve_304_prepare() { serve_prepare; }
serve_304_ours() { serve_rate "$serve_ours_id" "http:18940/$serve_file" -s "$scratch/serve-304.lua"; }
serve_304_reference() { serve_rate "$serve_reference_id" "http:18941/$serve_file" -s "$scratch/serve-304.lua"; }
serve_304_end() { serve_check; }

# A country's phones, who don't wait for each other: 8,500 requests each second on 100 connections, whatever comes back. What counts is the
# time that one in a thousand takes longer than. $1: the server's port. Prints how often that time fits into a second.
serve_latency() {
    taskset -c 1 h2load --h1 -t 1 -c 100 -D "$seconds" --rps=85 --log-file="$scratch/serve-latency" \
        "http://127.0.0.1:$1/$serve_file" >"$scratch/h2load.log" 2>&1 || fail "h2load failed: $(tail -n 3 "$scratch/h2load.log")"
    # When it was sent, the status, microseconds.
    awk -v expected=$((8500 * seconds)) '$2 == 200 { print $3; n++ } END { exit n < expected * 0.98 }' "$scratch/serve-latency" |
        sort -n >"$scratch/serve-latencies" || fail "The server on port $1 didn't keep up."
    awk -v n="$(wc -l <"$scratch/serve-latencies")" 'NR == int(n * 0.999) { print 1e6 / $1 }' "$scratch/serve-latencies"
    rm -f "$scratch/serve-latency"
}
serve_open_loop_prepare() { serve_prepare; }
serve_open_loop_ours() { serve_latency 18940; }
serve_open_loop_reference() { serve_latency 18941; }
serve_open_loop_end() { :; }

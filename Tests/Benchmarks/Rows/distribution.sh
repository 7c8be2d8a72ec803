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
        "${observer[@]}" "${benchmarks%/*}/distribution" publish --as-of "$export_instant" >"$scratch/publish.log" 2>&1; } 2>&1) || return
    # Each key has 16 bytes that can't be compressed; one or the other has expired.
    [ "$(stat -c %s "$scratch/published/version/v1/diagnosis-keys/country/EUR/date/2020-12-29/hour/0")" -gt $((export_keys * 15)) ] &&
        did "$export_keys" && awk -v n="$export_keys" -v t="$took" 'BEGIN { print n / t }'
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
serve_prepare() {
    [ -z "${serve_ours_id:-}" ] || return 0
    prepare_nginx
    mkdir -p "$scratch/served/${serve_file%/*}" "$scratch/serve-nginx"
    head -c 40960 /dev/urandom >"$scratch/served/$serve_file"
    touch -d @1200000000 "$scratch/served/$serve_file"
    env NIO_SINGLETON_GROUP_LOOP_COUNT=1 DIRECTORY="$scratch/served" LISTEN_PORT=18940 ADMIN_PORT=18949 LOG_LEVEL=error \
        taskset -c 0 "${benchmarks%/*}/download-server" >"$scratch/serve.log" 2>&1 &
    serve_ours_id=$!
    # What an operator would write: files from memory's cache by sendfile, the same header fields.
    cat >"$scratch/serve-nginx/nginx.conf" <<CONF
daemon off;
master_process off;
pid $scratch/serve-nginx/pid;
error_log $scratch/serve-nginx/error.log;
events { worker_connections 1024; }
http {
    access_log off;
    client_body_temp_path $scratch/serve-nginx/body;
    proxy_temp_path $scratch/serve-nginx/proxied;
    fastcgi_temp_path $scratch/serve-nginx/fastcgi;
    uwsgi_temp_path $scratch/serve-nginx/uwsgi;
    scgi_temp_path $scratch/serve-nginx/scgi;
    sendfile on;
    tcp_nopush on;
    open_file_cache max=1024;
    keepalive_requests 1000000;
    default_type application/zip;
    server {
        listen 127.0.0.1:18941;
        root $scratch/served;
        location / {
            try_files \$uri \$uri/index =404;
            add_header Cache-Control "public, max-age=3600";
        }
    }
}
CONF
    chmod 755 "$scratch"
    taskset -c 0 "$nginx" -c "$scratch/serve-nginx/nginx.conf" -p "$scratch/serve-nginx/" -e "$scratch/serve-nginx/error.log" &
    serve_reference_id=$!
    serving_wait 18940 && serving_wait 18941
    serve_tag=$(curl -sI "http://127.0.0.1:18940/$serve_file" | sed -n 's/^etag: *\(.*\)\r$/\1/Ip')
    [ -n "$serve_tag" ] && [ "$serve_tag" = "$(curl -sI "http://127.0.0.1:18941/$serve_file" | sed -n 's/^etag: *\(.*\)\r$/\1/Ip')" ] ||
        fail "Ours and nginx give different entity tags."
    local port
    for port in 18940 18941; do
        [ "$(curl -so "$scratch/unchanged" -w '%{http_code}' -H "If-None-Match: $serve_tag" "http://127.0.0.1:$port/$serve_file")" = 304 ] ||
            fail "The server on port $port does not recognise its entity tag."
    done
    printf 'wrk.headers["If-None-Match"] = "%s"\n' "${serve_tag//\"/\\\"}" >"$scratch/serve-304.lua"
}

# $1: the server's process id; $2: its port; then further options of wrk.
serve_rate() {
    local id=$1 port=$2
    shift 2
    proxy_rate "$id" wrk -t 1 -c 64 -d "${seconds}s" "$@" "http://127.0.0.1:$port/$serve_file"
}

serve_40k_prepare() { serve_prepare; }
serve_40k_ours() { serve_rate "$serve_ours_id" 18940; }
serve_40k_reference() { serve_rate "$serve_reference_id" 18941; }
serve_40k_end() { :; }
serve_304_prepare() { serve_prepare; }
serve_304_ours() { serve_rate "$serve_ours_id" 18940 -s "$scratch/serve-304.lua"; }
serve_304_reference() { serve_rate "$serve_reference_id" 18941 -s "$scratch/serve-304.lua"; }
serve_304_end() { :; }

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

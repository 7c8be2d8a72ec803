# A country's batches against the way of everybody else (Tests/Benchmarks/Rows/federation/reference.cpp): libprotobuf, OpenSSL's CMS and
# PostgreSQL's COPY. Both on the first core, the same keys.

federation_folder=
# Keys and certificates: of this country, of the gateway and who vouches for countries, and of two other countries.
federation_files() {
    federation_folder="$scratch/federation"
    mkdir "$federation_folder"
    local name subject algorithm
    (
        cd "$federation_folder"
        while read -r name subject algorithm; do
            # shellcheck disable=SC2086
            openssl req -x509 -nodes -sha256 -days 30 -subj "/C=$subject/CN=$name" -addext subjectAltName=DNS:localhost \
                -newkey $algorithm -keyout "$name.key" -out "$name.pem"
        done <<'TEXT'
p256 DE ec -pkeyopt ec_paramgen_curve:P-256
rsa DE rsa:3072
anchor EU rsa:4096
gateway EU ec -pkeyopt ec_paramgen_curve:P-256
FR FR rsa:3072
FR-tls FR rsa:3072
PL PL ec -pkeyopt ec_paramgen_curve:P-256
PL-tls PL ec -pkeyopt ec_paramgen_curve:P-256
TEXT
        for name in FR FR-tls PL PL-tls; do openssl dgst -sha256 -sign anchor.key -out "$name.operator" "$name.pem"; done
    ) >"$scratch/federation.log" 2>&1 || fail "The certificates can't be made; see $scratch/federation.log."
}
federation_prepare() {
    [ -z "$federation_folder" ] || return 0
    federation_files
    say "  building the reference …"
    # shellcheck disable=SC2046
    protoc --proto_path="$checkout/Shared/Formats/FederationFormat/Protobuf/protos" --cpp_out="$federation_folder" diagnosis_key_batch.proto &&
        g++ -std=c++17 -O3 -march=native -I "$federation_folder" -o "$federation_folder/reference" \
            "$checkout/Tests/Benchmarks/Rows/federation/reference.cpp" "$federation_folder/diagnosis_key_batch.pb.cc" \
            -lprotobuf -lcrypto $(pkg-config --cflags --libs libpq) || fail "The reference for federation can't be built."
}

# Batches of 4,000 keys that were serialised, sorted and signed, in turn with a key on P-256 and one for RSA with 3072 bits. Ours also
# verifies each signature before it leaves. Keys a second of processor time.
federation_upload_prepare() {
    federation_prepare
    match_expected=$("$federation_folder/reference" upload "$federation_folder" 0 | sed -n 's/^matches //p')
}
federation_upload_ours() { match_rate "$benchmarks" federation-upload --folder "$federation_folder" --seconds "$seconds"; }
federation_upload_reference() { match_rate "$federation_folder/reference" upload "$federation_folder" "$seconds"; }
federation_upload_end() { :; }

# The whole service: batches of 5,000 keys of two countries are downloaded over TLS, verified, audited and stored, against OpenSSL's
# verification of the same signatures, whose bytes are prepared, and COPY of the rows that the service made, a transaction for each batch.
# The program and PostgreSQL count on either side, from an empty table on; the gateway, which is nginx on the second core, doesn't. Ours also
# finds out which keys are known, or home keys, of which there are 14 days.
federation_batches=${FEDERATION_BATCHES:-60}
federation_download_prepare() {
    federation_prepare
    federation_database
    federation_gateway
    # Rows of a batch have the same transaction; in its order.
    federation_reset && federation_run >/dev/null && federation_sql "CREATE TABLE bench_rows AS
        SELECT (row_number() OVER place - 1) / 5000 + 1 AS batch, row_number() OVER place AS place, stored.*
        FROM foreign_keys.diagnosis_key AS stored WINDOW place AS (ORDER BY xmin::text::bigint, tableoid, ctid)" ||
        fail "The batches can't be stored; see $scratch/federation.log."
    federation_expected=$(federation_stored)
    [ "${federation_expected%%|*}" = $((federation_batches * 5000)) ] ||
        fail "Of $((federation_batches * 5000)) keys ${federation_expected%%|*} were stored; see $scratch/federation.log."
    local number
    for number in $(seq "$federation_batches"); do
        printf "\\\\copy (SELECT %s FROM bench_rows WHERE batch = %s ORDER BY place) TO '%s' (FORMAT binary)\n" \
            "hour, $federation_columns" "$number" "$federation_folder/$number.rows"
    done | federation_psql -f - >/dev/null
    federation_sql "DROP TABLE bench_rows"
}
federation_download_ours() { federation_rate federation_run; }
federation_download_reference() {
    federation_rate taskset -c 0 "$federation_folder/reference" download "$federation_folder" "$federation_batches" "$federation_connection"
}
federation_download_end() {
    kill "$federation_nginx" && wait "$federation_nginx" 2>/dev/null || true
    postgres_sql "DROP DATABASE federation"
}

federation_columns='key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type, origin, visited'
federation_psql() { "$postgres_programs/psql" -q -At -v ON_ERROR_STOP=1 -h "$scratch" -U postgres -d federation "$@"; }
federation_sql() { federation_psql -c "$1" >/dev/null; }

# A database of its own, with the keys that a country publishes in 14 days.
federation_database() {
    federation_connection="host=$scratch user=vigil_federation dbname=federation"
    # For suite_ticks.
    verification_postgres=$(head -n 1 "$scratch/data/postmaster.pid")
    postgres_sql "CREATE DATABASE federation"
    mkdir "$federation_folder/suite"
    "$benchmarks" prepare-suite --connection "host=$scratch user=postgres dbname=federation" --folder "$federation_folder/suite"
    local hour=$(($(date +%s) / 3600))
    federation_sql "SELECT submission.ensure_day($hour / 24)"
    federation_sql "INSERT INTO submission.diagnosis_key
        SELECT $hour, uuid_send(gen_random_uuid()), ($hour / 24 - n % 14) * 144, 144, 3 + n % 6, n % 14, 1
        FROM generate_series(1, 14 * 28000) AS n ORDER BY 3"
    federation_sql "VACUUM ANALYZE submission.diagnosis_key"
}

# Makes batches, and starts a gateway that gives them out, each with the name of the next one.
federation_gateway() {
    local number
    say "  making $federation_batches batches …"
    "$benchmarks" federation-batches --folder "$federation_folder" --batches "$federation_batches" >"$scratch/federation.log" 2>&1 ||
        fail "The batches can't be made; see $scratch/federation.log."
    for number in $(seq $((federation_batches - 1))); do printf 'batch-%s batch-%s;\n' "$number" $((number + 1)); done >"$federation_folder/next"
    nginx_start federation 1 "
        map_hash_max_size 8192; map_hash_bucket_size 128;
        map \$http_batchtag \$batch { default \$http_batchtag; '' batch-1; }
        map \$batch \$next { include $federation_folder/next; }
        server {
            listen 127.0.0.1:18991 ssl; ssl_verify_client optional_no_ca;
            ssl_certificate $federation_folder/gateway.pem; ssl_certificate_key $federation_folder/gateway.key;
            location /diagnosiskeys/download/ {
                root $federation_folder/batches; default_type 'application/protobuf; version=1.0';
                add_header batchTag \$batch; add_header nextBatchTag \$next;
                rewrite ^ /\$batch break;
            }
            location /diagnosiskeys/audit/download/ {
                root $federation_folder/audits; default_type 'application/json; version=1.0';
                rewrite ([^/]+)\$ /\$1 break;
            }
        }"
    serving_wait 18991
}

# Runs federation. Arguments: the command and its options.
federation_program() {
    env ADMIN_PORT=18999 LOG_LEVEL=error UPLOAD_ENABLED=false GATEWAY_URL=https://localhost:18991 GATEWAY_DAYS=0 \
        GATEWAY_CERTIFICATE="$federation_folder/p256.pem" GATEWAY_KEY="$federation_folder/p256.key" \
        GATEWAY_AUTHORITIES="$federation_folder/gateway.pem" GATEWAY_TRUST_ANCHOR="$federation_folder/anchor.pem" \
        VIGIL_CORES=1 POSTGRES_CONNECTION="$federation_connection" \
        taskset -c 0 "${benchmarks%/*}/federation" "$@" >"$scratch/federation.log" 2>&1
}
federation_run() { federation_program run --as-of "$(date -u +%FT%TZ)"; }

# No batch is known, and none of its keys.
federation_reset() {
    federation_sql "TRUNCATE federation.incoming_batch, federation.audited_upload, federation.left_out, foreign_keys.diagnosis_key,
        foreign_keys.imported_hour" && federation_sql "CHECKPOINT"
}
# How many rows there are, and a number that follows from them. The hour in which they were stored isn't of interest.
federation_stored() {
    federation_psql -c "SELECT count(*), sum(hashtextextended(concat_ws(' ', $federation_columns), 0)) FROM foreign_keys.diagnosis_key"
}

# A program that stores all batches. Prints keys per second of its processor time and PostgreSQL's; nothing if the rows are others.
federation_rate() {
    local before after own stored
    federation_reset || return
    before=$(suite_ticks)
    own=$({ TIMEFORMAT='cpu %U %S' && time "$@" >"$scratch/federation.out"; } 2>&1) || return
    # Its servers' times are known when PostgreSQL has waited for them.
    sleep 0.5
    after=$(suite_ticks)
    stored=$(federation_stored)
    if [ "$stored" != "$federation_expected" ]; then
        printf '%s stored %s (number and digest), not %s.\n' "$1" "$stored" "$federation_expected" >"$scratch/federation.log"
        return 1
    fi
    awk -v n="${stored%%|*}" -v t=$((after - before)) -v own="${own##*cpu }" 'BEGIN { split(own, o, " "); print n / (t / 100 + o[1] + o[2]) }'
}

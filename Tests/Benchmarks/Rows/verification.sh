# Verification and test result server, with TLS on every hop, against pgbench alone with the same statements. Everything
# that serves counts: our servers and PostgreSQL on one side, pgbench and PostgreSQL on the other, on the first core; the
# callers, on the second core, don't. Figures are per second of that processor time.

verification_seeds=${VERIFICATION_SEEDS:-500000}

# Identifiers by the rule of Tests/Benchmarks/ServiceLoad.swift. $1: the word before the number.
verification_identifier() {
    printf "SELECT n, substr(m, 1, 8) || '-' || substr(m, 9, 4) || '-4' || substr(m, 14, 3) || '-8' || substr(m, 18, 3) || '-' || substr(m, 21, 12) AS text "
    printf "FROM (SELECT n, md5('%s ' || n) AS m FROM generate_series(0, %s) AS n) AS hashes" "$1" $((verification_seeds - 1))
}

# Processor time of processes and of PostgreSQL, in ticks of 10 ms. $@: process ids.
suite_ticks() { echo $(($(ticks "$@") + $(postgres_ticks "$verification_postgres"))); }

# Processor time of a PostgreSQL and all its children that ever were: those that live, and those it has waited for. $1: its process id.
postgres_ticks() {
    local id total
    total=$(awk '{ print $14 + $15 + $16 + $17 }' "/proc/$1/stat")
    for id in $(pgrep -P "$1"); do
        total=$((total + $(awk '{ print $14 + $15 }' "/proc/$id/stat" 2>/dev/null || echo 0)))
    done
    echo "$total"
}

# Schema, certificates and a key, once for all rows with services.
suite_prepare() {
    [ ! -e "$scratch/suite/key" ] || return 0
    # The postmaster itself: what was started may be a command around it.
    verification_postgres=$(head -n 1 "$scratch/data/postmaster.pid")
    mkdir -p "$scratch/suite"
    "$benchmarks" prepare-suite --connection "host=$scratch user=postgres dbname=postgres" --folder "$scratch/suite"
    head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$scratch/suite/key"
}

# Rows and both servers, once for all rows of this file.
verification_prepare() {
    [ -z "${verification_server:-}" ] || return 0
    suite_prepare
    say "  filling the tables …"
    postgres_sql "INSERT INTO verification.session (token_digest, hashed_guid, created_hour)
        SELECT sha256(text::bytea), encode(sha256(n::text::bytea), 'hex'), extract(epoch FROM now()) / 3600 FROM ($(verification_identifier session)) AS t"
    postgres_sql "INSERT INTO test_results.result (id, code, sample_collected, created_at)
        SELECT encode(sha256(n::text::bytea), 'hex'), 1, 1700000000, now() FROM generate_series(0, $((verification_seeds - 1))) AS n"
    # What a server needs that stores the TANs it issues.
    postgres_sql "CREATE TABLE bench_tan (digest bytea PRIMARY KEY, tag bytea, expires_at timestamptz NOT NULL)
        WITH (fillfactor = 50)"
    postgres_sql "CREATE INDEX ON bench_tan (expires_at)"
    postgres_sql "CREATE TABLE bench_result (LIKE test_results.result INCLUDING ALL)"
    postgres_sql "VACUUM ANALYZE"
    postgres_sql "CHECKPOINT"
    # Any point of the curve will do: no teleTAN is requested.
    printf '%s' '{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"1",
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}' \
        >"$scratch/suite/officers.json"
    verification_servers 18900
    results_server=${verification_ids[0]}
    verification_server=${verification_ids[1]}
    serving_wait 18920 && serving_wait 18910
}

# Starts test-result-server and verification-server, at ports from $1 on. $verification_ids are their process ids.
verification_servers() {
    verification_start test-result-server vigil_test_results LABORATORIES_PORT=$(($1 + 20)) INTERNAL_PORT=$(($1 + 21)) \
        ADMIN_PORT=$(($1 + 29))
    verification_ids=($!)
    verification_start verification-server vigil_verification APP_PORT=$(($1 + 10)) INTERNAL_PORT=$(($1 + 11)) \
        PORTAL_PORT=$(($1 + 12)) ADMIN_PORT=$(($1 + 19)) TEST_RESULTS_URL=https://localhost:$(($1 + 21)) \
        SECRETS_TAN_KEY="$scratch/suite/key" SECRETS_TELE_TANKEY="$scratch/suite/key" OFFICERS_KEYS="$scratch/suite/officers.json" \
        OFFICERS_ISSUER=https://issuer.test OFFICERS_AUDIENCE=verification
    verification_ids+=($!)
}

# $1: the executable; $2: its database role; then further settings. On the first core, unless $verification_cores says otherwise.
verification_start() {
    local name=$1 role=$2
    shift 2
    env "$@" LOG_LEVEL=error TLS_CERTIFICATE="$scratch/suite/$name.pem" TLS_KEY="$scratch/suite/$name.key" \
        TLS_AUTHORITIES="$scratch/suite/authority.pem" VIGIL_CORES=1 POSTGRES_MAXIMUM_CONNECTIONS="${verification_pool:-16}" \
        POSTGRES_CONNECTION="host=$scratch user=$role dbname=postgres" \
        taskset -c "${verification_cores:-0}" "${benchmarks%/*}/$name" >"$scratch/$name.log" 2>&1 &
}

# The proxy, on both cores, at port $1, in front of the services at ports from there on. Its deadline can't be off.
verification_proxy() {
    env LISTEN_PORT="$1" ADMIN_PORT=$(($1 + 9)) LOG_LEVEL=error PUBLIC_CERTIFICATE="$scratch/suite/metadata-proxy.pem" \
        PUBLIC_KEY="$scratch/suite/metadata-proxy.key" TLS_CERTIFICATE="$scratch/suite/metadata-proxy.pem" \
        TLS_KEY="$scratch/suite/metadata-proxy.key" TLS_AUTHORITIES="$scratch/suite/authority.pem" \
        VERIFICATION_URL=https://localhost:$(($1 + 10)) SUBMISSION_URL=https://localhost:$(($1 + 30)) PUSH_URL=https://localhost:18950 \
        ANSWERS_DEADLINE=100 LIMITS_REQUESTS=10000000 LIMITS_REGISTRATIONS=10000000 LIMITS_REFUSED_REGISTRATIONS=10000000 \
        "${benchmarks%/*}/metadata-proxy" >"$scratch/metadata-proxy.log" 2>&1 &
}

# $1: the load; $2: the port; $3: calls at one time; then the processes that serve. Prints operations per second of processor
# time.
verification_rate() { cpu_rate suite_ticks "${@:4}" -- verification_client "${@:1:3}"; }
verification_client() {
    taskset -c 1 "$benchmarks" "$1" --base "https://localhost:$2" --folder "$scratch/suite" --tasks "$3" --seconds "$seconds" \
        2>"$scratch/$1.log" | sed -n 's/.*"operations":\([0-9]*\).*/\1/p'
}

# $1: the script; $2: rows a transaction; then further options of pgbench. Prints rows per second of the processor time of pgbench and
# PostgreSQL.
pgbench_cpu_rate() {
    local before after transactions own
    before=$(suite_ticks)
    own=$({ TIMEFORMAT='%U %S' && time taskset -c 0 "$postgres_programs/pgbench" -n -M prepared -c "$postgres_connections" -j 1 \
        -T "$seconds" "${@:3}" -h "$scratch" -U postgres -f "$1" postgres >"$scratch/pgbench.out" 2>"$scratch/pgbench.log"; } 2>&1)
    # Its servers' times are known when PostgreSQL has waited for them.
    sleep 0.5
    after=$(suite_ticks)
    transactions=$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$scratch/pgbench.out")
    [ -n "$transactions" ] &&
        awk -v n=$((transactions * $2)) -v t=$((after - before)) -v own="$own" \
            'BEGIN { split(own, o, " "); print n / (t / 100 + o[1] + o[2]) }'
}

# Both begin on TANs of which none is used, behind a checkpoint. Ours prove themselves, pgbench's are stored; it has numbers
# only, and finds its rows by them. $1: the table.
bench_tan_reset() {
    postgres_sql "TRUNCATE $1" || return
    [ "$1" = verification.used_tan ] ||
        postgres_sql "INSERT INTO $1 (digest, expires_at) SELECT sha256(n::text::bytea), now() + interval '10 days'
            FROM generate_series(0, $((verification_seeds - 1))) AS n" || return
    postgres_sql "VACUUM ANALYZE $1" && postgres_sql "CHECKPOINT"
}

# One TAN a transaction, as servers do that know no batches.
bench_tan_script() {
    cat >"$scratch/tan.sql" <<SQL
\\set n random(0, $((verification_seeds - 1)))
UPDATE bench_tan SET tag = sha256(:n::text::bytea)
WHERE digest = sha256(:n::text::bytea) AND tag IS NULL AND expires_at > now();
SQL
}

tan_redemption_prepare() { verification_prepare && bench_tan_script; }
tan_redemption_ours() { bench_tan_reset verification.used_tan && verification_rate tan-reservations 18911 4 "$verification_server"; }
tan_redemption_reference() {
    bench_tan_reset bench_tan && pgbench_cpu_rate "$scratch/tan.sql" 1
}
tan_redemption_end() { :; }

tan_verify_single_prepare() { verification_prepare && bench_tan_script; }
tan_verify_single_ours() { bench_tan_reset verification.used_tan && verification_rate tan-verification 18911 16 "$verification_server"; }
tan_verify_single_reference() { tan_redemption_reference; }
tan_verify_single_end() { :; }

# The limit: two answers of nginx that knows them, and the two look-ups by pgbench, one after the other.
result_polling_prepare() {
    verification_prepare
    # The first is the verification server; it asks the second, the test result server.
    nginx_start polling 0 "
        ssl_protocols TLSv1.3; ssl_client_certificate $scratch/suite/authority.pem; ssl_verify_client on; ssl_session_tickets off;
        upstream behind { server 127.0.0.1:18923; keepalive 64; keepalive_requests 100000000; }
        server {
            listen 127.0.0.1:18913 ssl; listen 127.0.0.1:18914;
            ssl_certificate $scratch/suite/verification-server.pem; ssl_certificate_key $scratch/suite/verification-server.key;
            location / {
                proxy_pass https://behind; proxy_http_version 1.1; proxy_set_header Connection '';
                proxy_ssl_certificate $scratch/suite/verification-server.pem;
                proxy_ssl_certificate_key $scratch/suite/verification-server.key;
                proxy_ssl_trusted_certificate $scratch/suite/authority.pem; proxy_ssl_verify on; proxy_ssl_name localhost;
                proxy_ssl_protocols TLSv1.3;
            }
        }
        server {
            listen 127.0.0.1:18923 ssl; listen 127.0.0.1:18924; default_type application/json;
            ssl_certificate $scratch/suite/test-result-server.pem; ssl_certificate_key $scratch/suite/test-result-server.key;
            location / { return 200 '{\"testResult\":1,\"sc\":1700000000}'; }
        }"
    serving_wait 18913 && serving_wait 18924
    cat >"$scratch/session.sql" <<SQL
\\set n random(0, $((verification_seeds - 1)))
SELECT hashed_guid, hashed_guid_dob, teletan_kind, created_hour FROM verification.session
WHERE token_digest = sha256(:n::text::bytea);
SQL
    cat >"$scratch/result.sql" <<SQL
\\set n random(0, $((verification_seeds - 1)))
SELECT code, sample_collected, lab_id FROM test_results.result WHERE id = encode(sha256(:n::text::bytea), 'hex');
SQL
    printf 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = string.rep("a", 80)\n' >"$scratch/poll.lua"
}
result_polling_ours() { verification_rate result-polling 18910 32 "$verification_server" "$results_server"; }
result_polling_reference() {
    local json session result
    json=$(serving_wrk "$polling_nginx" http://127.0.0.1:18924/ -s "$scratch/poll.lua") && session=$(pgbench_cpu_rate "$scratch/session.sql" 1) &&
        result=$(pgbench_cpu_rate "$scratch/result.sql" 1) &&
        awk -v j="$json" -v s="$session" -v r="$result" 'BEGIN { print 1 / (2 / j + 1 / s + 1 / r) }'
}
result_polling_end() { kill "$polling_nginx" && wait "$polling_nginx" 2>/dev/null || true; }

# The same with the two hops that it leaves out: mutual TLS, and nginx that asks the next as our servers do. Neither reads nor writes JSON.
result_polling_hops_prepare() { result_polling_prepare; }
result_polling_hops_ours() { result_polling_ours; }
result_polling_hops_reference() {
    local hops session result
    hops=$(cpu_rate ticks "$polling_nginx" -- verification_client result-polling 18913 32) &&
        session=$(pgbench_cpu_rate "$scratch/session.sql" 1) && result=$(pgbench_cpu_rate "$scratch/result.sql" 1) &&
        awk -v h="$hops" -v s="$session" -v r="$result" 'BEGIN { print 1 / (1 / h + 1 / s + 1 / r) }'
}
result_polling_hops_end() { result_polling_end; }

lab_results_prepare() {
    verification_prepare
    {
        printf '\\set n random(0, 9000000000000000000)\n'
        printf 'INSERT INTO bench_result (id, code, sample_collected, lab_id, created_at)\n'
        printf "SELECT encode(sha256((:n::bigint + i)::text::bytea), 'hex'), 1, 1700000000, 'lab-7', now() "
        printf 'FROM generate_series(1, 100) AS i\n'
        printf 'ON CONFLICT (id) DO UPDATE SET code = excluded.code, sample_collected = excluded.sample_collected,\n'
        printf '    lab_id = excluded.lab_id WHERE bench_result.code NOT IN (4, 9, 14);\n'
    } >"$scratch/results.sql"
}
# Both begin on a table of the same size behind a checkpoint.
lab_results_reset() {
    postgres_sql "DELETE FROM test_results.result WHERE lab_id IS NOT NULL" && postgres_sql "VACUUM test_results.result" &&
        postgres_sql "TRUNCATE bench_result" &&
        postgres_sql "INSERT INTO bench_result SELECT * FROM test_results.result" && postgres_sql "CHECKPOINT"
}
lab_results_ours() { lab_results_reset && verification_rate lab-results 18920 4 "$results_server"; }
lab_results_reference() { lab_results_reset && pgbench_cpu_rate "$scratch/results.sql" 100; }
lab_results_end() { :; }

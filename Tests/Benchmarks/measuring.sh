# What bench.sh needs: the rows, what they need, and how processor time is read. Sourced, not run.
. "$checkout/Tests/tools.sh"
for file in "$checkout"/Tests/Benchmarks/Rows/*.sh; do . "$file"; done

# Every row: its name, the target for its ratio (0: only reported), and what is counted. Its functions are in Tests/Benchmarks/Rows/: ROW_ours and
# ROW_reference print one rate each, ROW_prepare and ROW_end are called before and after all rounds.
rows=(
    "postgres-lookup 0.7 look-ups/s"
    "postgres-insert 0.7 inserts-of-14-rows/s"
    "postgres-copy 0.9 rows/s"
    "serving-bare-post 0.91 requests/CPU-s"
    "serving-bare-get 0.91 requests/CPU-s"
    "serving-bare-post-tls 0.91 requests/CPU-s"
    "serving-bare-get-tls 0.91 requests/CPU-s"
    "serving-http2-post 2.0 requests/CPU-s"
    "serving-http2-get 2.0 requests/CPU-s"
    "serving-http2-64x1 0.83 requests/CPU-s"
    "serving-http2-1m 1.0 requests/CPU-s"
    "serving-json 0.5 requests/CPU-s"
    "handshakes 0.87 handshakes/CPU-s"
    "calling 2.0 calls/CPU-s"
    "tan-redemption 2.0 TANs/CPU-s"
    "tan-verify-single 0.7 TANs/CPU-s"
    "result-polling 0 polls/CPU-s"
    "result-polling-hops 0.5 polls/CPU-s"
    "lab-results 0.7 results/CPU-s"
    "upload 1.5 uploads/CPU-s"
    "upload-end-to-end 1.0 uploads/s"
    "two-replicas 0.9 uploads/s"
    "fold-100k 0.3 keys/s"
    "venue-fold 0 reports/s"
    "donation 0.7 donations/CPU-s"
    "further-post 0.5 posts/CPU-s"
    "further-snapshot 1.0 reports/CPU-s"
    "further-snapshot-time 1.0 reports/s"
    "further-snapshot-memory 1.0 reports/MiB"
    "export-600k 10 keys/s"
    "export-size-28k 1.03 keys/MB"
    "export-size-600k 1.03 keys/MB"
    "export-memory-10m 1.0 keys/MiB"
    "export-from-postgres 0.66 keys/s"
    "export-from-postgres-20 0.9 keys/s"
    "serve-1m 1.0 requests/CPU-s"
    "serve-1m-tls 1.0 requests/CPU-s"
    "serve-40k 1.0 requests/CPU-s"
    "serve-304 1.0 requests/CPU-s"
    "serve-open-loop 1.0 p99.9s/s"
    "proxy-get 1.0 requests/CPU-s"
    "proxy-post-2k 1.0 requests/CPU-s"
    "proxy-get-padded 1.0 requests/CPU-s"
    "proxy-post-2k-padded 1.0 requests/CPU-s"
    "proxy-post-64k 1.0 requests/CPU-s"
    "proxy-tls 1.0 requests/CPU-s"
    "proxy-1000-connections 1.2 requests/CPU-s"
    "proxy-handshakes 1.5 handshakes/CPU-s"
    "proxy-refused 2.0 requests/CPU-s"
    "idle-clear 1.0 connections/MiB"
    "idle-tls 1.0 connections/MiB"
    "idle-http2 1.0 connections/MiB"
    "idle-service-memory 1.0 services/1000MiB"
    "idle-service-start 1.0 starts/s"
    "program-size 1.0 programs/1000MiB"
    "push-throughput 0.67 pushes/CPU-s"
    "push-40ms 0.9 pushes/s"
    "match-28k 5 keys/CPU-s"
    "venue-match 5 reports/CPU-s"
    "risk-day 0.7 windows/CPU-s"
    "country-hour 0.5 hours/CPU-s"
    "federation-upload 1.0 keys/CPU-s"
    "federation-download 0.5 keys/CPU-s"
    "portal-code 1.0 p99s/s"
    "portal-statistics 1.0 p99s/s"
)

# Fails if there is no row of one of these names.
check_rows() {
    local name
    for name in "$@"; do
        printf '%s\n' "${rows[@]%% *}" | grep -x -- "$name" >/dev/null || fail "There is no row $name; --list of bench.sh prints them all."
    done
}

packages+=(wrk nghttp2-client nghttp2-server curl g++ protobuf-compiler libprotobuf-dev libssl-dev openssl procps libpcre2-8-0 util-linux
    gcc binutils libcurl4-openssl-dev nginx)

# Rows that need no database.
without_postgres='^(serving|serve|handshakes|calling|proxy|idle|program|push|match|venue-match|risk-day|country|export-(600k|size|memory))'

# Prepares the machine, builds, and starts the database, unless no row needs it. $benchmarks is the program, whose folder has all
# others. $@: the rows; none if there will be a database in any case.
prepare_rows() {
    [ "$(nproc)" -ge 2 ] || fail "Measuring needs two cores: one for the server, one for the client."
    prepare_machine
    prepare_nginx
    check_disk "$checkout" 6000
    cd "$checkout"
    build_release benchmarks
    benchmarks=$(swift build "${release[@]}" --show-bin-path)/benchmarks
    if [ $# -gt 0 ] && ! printf '%s\n' "$@" | grep -vE "$without_postgres" >/dev/null; then
        scratch=$(mktemp -d "$scratch_place/vigil-scratch.XXXXXX")
        return
    fi
    # A database like an operator's: durable, on the first core. Without what would tidy up in one measurement and not in the next.
    start_postgres taskset -c 0 -- -c shared_buffers=512MB -c max_wal_size=4GB -c autovacuum=off
}

# Ends whatever runs of what rows started: servers of several rows, and those of one that failed halfway.
end_rows() {
    local id
    replica_end
    for id in $(jobs -pr); do [ "$id" = "$server" ] || kill "$id" 2>/dev/null || true; done
}

# MARK: nginx

# Writes the configuration of an nginx of one process. $1: its name; $2: the content of `http`; $3: a module, if it needs one.
nginx_configuration() {
    local folder="$scratch/nginx-$1"
    mkdir -p "$folder"
    cat >"$folder/nginx.conf" <<CONF
${3:+load_module $3;}
daemon off; master_process off; pid $folder/pid; error_log $scratch/$1.log;
events { worker_connections 30000; }
http {
    access_log off; keepalive_requests 100000000; keepalive_timeout 600; client_body_buffer_size 128k; client_max_body_size 128k;
    client_body_temp_path $folder/body; proxy_temp_path $folder/proxied; fastcgi_temp_path $folder/fastcgi;
    uwsgi_temp_path $folder/uwsgi; scgi_temp_path $folder/scgi;
    $2
}
CONF
}

# Starts it on a core; its process is then in $NAME_nginx. $1: its name; $2: the core; then as above.
nginx_start() {
    nginx_configuration "$1" "${@:3}"
    taskset -c "$2" "$nginx" -c "$scratch/nginx-$1/nginx.conf" -p "$scratch/nginx-$1/" -e "$scratch/$1.log" &
    printf -v "$1_nginx" %s "$!"
}

# MARK: Measuring

# Processor time of processes so far, in ticks of 10 ms.
ticks() {
    local id
    for id in "$@"; do cat "/proc/$id/stat"; done | awk '{ total += $14 + $15 } END { print total + 0 }'
}

# Prints how much a client does for each second of its servers' processor time.
# $1: the function that tells that time; then the servers' process ids, `--`, and the client, which prints how much it did.
cpu_rate() {
    local clock=$1 servers=() before after operations
    shift
    while [ "$1" != -- ]; do servers+=("$1") && shift; done
    shift
    before=$("$clock" "${servers[@]}")
    operations=$("$@")
    after=$("$clock" "${servers[@]}")
    [ -n "$operations" ] && awk -v n="$operations" -v t=$((after - before)) 'BEGIN { print n * 100 / t }'
}

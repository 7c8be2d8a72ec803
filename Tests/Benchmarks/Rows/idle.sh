# What a service takes that nobody calls. The references are bounds; what nginx takes is said beside them.

# download-server, whose tree is empty, from its start to its first answer, and a second later. $1: what counts.
idle_service_prepare() {
    load_prepare
    mkdir -p "$load_folder/tree/version"
    printf '["v1"]' >"$load_folder/tree/version/index"
    idle_service_folder="$scratch/nginx-idle"
    mkdir -p "$idle_service_folder"
    # Not started by nginx_start: its first answer is what counts.
    nginx_configuration idle "server { listen 127.0.0.1:18916; root $load_folder/tree; location / { try_files \$uri/index =404; } }"
    sed -i 's/worker_connections 30000/worker_connections 1024/' "$idle_service_folder/nginx.conf"
    idle_service_say "$(idle_service_start 18916 "$nginx" -c "$idle_service_folder/nginx.conf" -p "$idle_service_folder/" \
        -e "$scratch/idle.log")"
}
idle_service_say() { say "  nginx's worker is ready after ${1% *} ms, and takes ${1#* } KiB."; }
# $1: the port; then the command. Prints milliseconds and KiB.
idle_service_start() { taskset -c 0 "$load_folder/load" start -p "$1" -u /version -l 6 "${@:2}" 2>>"$scratch/idle.log"; }
idle_service_ours() {
    VIGIL_CORES=1 DIRECTORY="$load_folder/tree" LISTEN_PORT=18915 ADMIN_PORT=18914 LOG_LEVEL=error \
        idle_service_start 18915 "${benchmarks%/*}/download-server"
}

# Services that fit into 1,000 MiB.
idle_service_memory_prepare() { idle_service_prepare; }
idle_service_memory_ours() { idle_service_ours | awk '{ print 1000 * 1024 / $2 }'; }
idle_service_memory_reference() { awk 'BEGIN { print 1000 / 20 }'; }
idle_service_memory_end() { :; }

# Starts that fit into a second.
idle_service_start_prepare() { idle_service_prepare; }
idle_service_start_ours() { idle_service_ours | awk '{ print 1000 / $1 }'; }
idle_service_start_reference() { awk 'BEGIN { print 1000 / 30 }'; }
idle_service_start_end() { :; }

# Idle connections that fit into a MiB: each has had one answer. $1: the server's process id; then options of `load`.
idle_connections() {
    local id=$1 before during count idle
    shift
    before=$(resident "$id")
    coproc idle { taskset -c 1 "$load_folder/load" idle -l 100 "$@" 2>>"$scratch/idle.log"; }
    read -r -u "${idle[0]}" -t 60 count || return 1
    during=$(resident "$id")
    exec {idle[1]}>&-
    wait "$idle_PID" 2>/dev/null || true
    awk -v n="$count" -v kib=$((during - before)) 'BEGIN { print n * 1024 / (kib < 1 ? 1 : kib) }'
}
# Ours is a new process each time, because memory that was used once says nothing. $1: the port of ours; then options of `load`.
idle_connections_ours() {
    local port=$1 server rate
    shift
    serving_start serving-bare --port 18911 --secure-port 18912 --folder "$load_folder"
    server=$!
    serving_wait 18911 && serving_wait 18912
    # What is done once.
    taskset -c 1 "$load_folder/load" requests -p 18911 -n 8 -s 0.2 >/dev/null && taskset -c 1 "$load_folder/load" requests -t -p 18912 -n 8 -s 0.2 \
        >/dev/null && rate=$(idle_connections "$server" -p "$port" "$@")
    kill "$server" && wait "$server" 2>/dev/null || true
    [ -n "$rate" ] && printf '%s\n' "$rate"
}
# $1: the port of nginx; then options of `load`. Says what nginx takes.
idle_connections_prepare() {
    load_prepare
    local rate bytes
    printf -v bytes 'a%.0s' $(seq 100)
    nginx_start idle_reference 0 "
        ssl_certificate $load_folder/verification-server.pem; ssl_certificate_key $load_folder/verification-server.key;
        ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets off; ssl_session_cache off;
        server { listen 127.0.0.1:18917; listen 127.0.0.1:18918 ssl http2; location / { return 200 $bytes; } }"
    serving_wait 18917 && serving_wait 18918
    rate=$(idle_connections "$idle_reference_nginx" -p "$@") || fail "nginx doesn't keep idle connections: $(tail -qn 2 "$scratch"/*.log)"
    say "  nginx takes $(awk -v r="$rate" 'BEGIN { printf "%.1f", 1024 / r }') KiB for each."
    kill "$idle_reference_nginx" && wait "$idle_reference_nginx" 2>/dev/null || true
}
# $1: KiB. The number of connections in a MiB.
idle_connections_bound() { awk -v kib="$1" 'BEGIN { print 1024 / kib }'; }

idle_clear_prepare() { idle_connections_prepare 18917 -n 10000; }
idle_clear_ours() { idle_connections_ours 18911 -n 10000; }
idle_clear_reference() { idle_connections_bound 0.7; }
idle_clear_end() { :; }

idle_tls_prepare() { idle_connections_prepare 18918 -n 2000 -t; }
idle_tls_ours() { idle_connections_ours 18912 -n 2000 -t; }
idle_tls_reference() { idle_connections_bound 16; }
idle_tls_end() { :; }

idle_http2_prepare() { idle_connections_prepare 18918 -n 2000 -2; }
idle_http2_ours() { idle_connections_ours 18912 -n 2000 -2; }
idle_http2_reference() { idle_connections_bound 25; }
idle_http2_end() { :; }

resident() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }

# How often the largest program of a service, without its symbols, fits into 1,000 MiB; the bound is 20 MiB.
program_size_prepare() { :; }
program_size_ours() {
    local program largest=0 size
    for program in metadata-proxy verification-server test-result-server submission-server distribution download-server push-dispatcher; do
        [ -x "${benchmarks%/*}/$program" ] || continue
        strip -o "$scratch/stripped" "${benchmarks%/*}/$program" || return
        size=$(stat -c %s "$scratch/stripped")
        [ "$size" -le "$largest" ] || largest=$size
    done
    rm -f "$scratch/stripped"
    [ "$largest" -gt 0 ] && awk -v n="$largest" 'BEGIN { print 1000 * 1048576 / n }'
}
program_size_reference() { awk 'BEGIN { print 1000 / 20 }'; }
program_size_end() { :; }

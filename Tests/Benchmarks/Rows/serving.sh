# Our server beside nginx, each alone on the first core; clients on the second. Both know their answers: 100 bytes. Figures are
# requests for each second of the server's processor time.

# Certificates of every role, and the client programs, once for all rows that need them.
load_prepare() {
    [ -z "${load_folder:-}" ] || return 0
    load_folder="$scratch/load"
    mkdir -p "$load_folder"
    "$benchmarks" prepare-suite --folder "$load_folder"
    local program library=("-lssl" "-lcrypto" "-lpthread")
    for program in load calls; do
        gcc -O2 -D_GNU_SOURCE -o "$load_folder/$program" "$checkout/Tests/Benchmarks/Rows/load/$program.c" "${library[@]}" ||
            fail "$program.c can't be compiled: see what gcc says above."
        library=("-lcurl")
    done
}

# Ports: 18901 clear, 18902 TLS and 18903 mutual TLS of ours; 18905, 18906 and 18907 the same of nginx.
serving_prepare() {
    [ -z "${serving_bare:-}" ] || return 0
    load_prepare
    local bytes json='{"length":150,"registrationToken":"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"}'
    printf -v bytes 'a%.0s' $(seq 100)
    mkdir -p "$load_folder/files"
    head -c 1048576 /dev/zero >"$load_folder/files/large"
    nginx_start serving 0 "
        sendfile on; tcp_nopush on; open_file_cache max=16; default_type application/octet-stream;
        ssl_certificate $load_folder/verification-server.pem; ssl_certificate_key $load_folder/verification-server.key;
        ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets off; ssl_session_cache off;
        server {
            listen 127.0.0.1:18905; listen 127.0.0.1:18906 ssl http2; root $load_folder/files;
            location / { return 200 $bytes; }
            location = /large { }
        }
        server {
            listen 127.0.0.1:18907 ssl; ssl_protocols TLSv1.3;
            ssl_client_certificate $load_folder/authority.pem; ssl_verify_client on;
            location / { return 200 $bytes; }
            location = /json { default_type application/json; return 200 '$json'; }
        }"
    serving_start serving-bare --port 18901 --secure-port 18902 --folder "$load_folder" && serving_bare=$!
    serving_start serving-json --port 18903 --folder "$load_folder" && serving_json=$!
    local port
    for port in 18901 18902 18903 18905 18906 18907; do serving_wait "$port"; done
    serving_check
    printf 'wrk.method = "POST"\nwrk.body = string.rep("a", 300)\n' >"$load_folder/post.lua"
    head -c 300 /dev/zero | tr '\0' a >"$load_folder/body"
}

# On one core, which is theirs. $1: the subcommand; then its options.
serving_start() {
    VIGIL_CORES=1 taskset -c 0 "$benchmarks" "$@" >"$scratch/$1.log" 2>&1 &
}

serving_wait() {
    local attempt
    for attempt in $(seq 300); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        sleep 0.1
    done
    fail "Nothing listens on port $1: $(tail -qn 1 "$scratch"/*.log)"
}

# Fails unless all servers answer with what they should. Rows do this before and after they measure.
serving_check() {
    local address version
    for address in http://localhost:18901 https://localhost:18902 http://localhost:18905 https://localhost:18906; do
        for version in --http1.1 --http2; do
            [ "${address%%:*}" = https ] || version=--http1.1
            serving_gives "$address/" 100 "$version"
            serving_gives "$address/" 100 "$version" --data-binary "$(head -c 300 /dev/zero | tr '\0' a)"
            serving_gives "$address/large" 1048576 "$version"
        done
    done
    local identity=(--cert "$load_folder/metadata-proxy.pem" --key "$load_folder/metadata-proxy.key")
    serving_gives https://localhost:18903/measure 71 "${identity[@]}" -H 'Content-Type: application/json' \
        -d '{"key":"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f","keyType":"GUID","requestPadding":"aaa"}'
    serving_gives https://localhost:18907/json 73 "${identity[@]}"
}
# $1: the address; $2: the length of its answer; then options of curl.
serving_gives() {
    local got
    got=$(curl -s -o /dev/null -w '%{http_code} %{size_download} %{http_version}' --cacert "$load_folder/authority.pem" "${@:3}" "$1") || true
    [[ "$got" == "200 $2 "* ]] || fail "$1 gives $got in the place of 200 and $2 bytes: $(tail -qn 1 "$scratch"/*.log)"
    [[ " $* " != *" --http2 "* ]] || [ "${got##* }" = 2 ] || fail "$1 doesn't speak HTTP/2."
}
serving_end() { serving_check; }

# $1: the server's process id; $2: the address; then further options of wrk.
serving_wrk() { cpu_rate ticks "$1" -- serving_wrk_client "${@:2}"; }
serving_wrk_client() {
    taskset -c 1 wrk -t 1 -c 64 -d "${seconds}s" "${@:2}" "$1" | wrk_answers
}
# How many answers wrk counts; nothing if one of them was wrong, or didn't come.
wrk_answers() { awk '/Non-2xx|Socket errors/ { bad = 1; print >"/dev/stderr" } /requests in/ { n = $1 } END { if (!bad) print n }'; }

# $1: the server's process id; $2: its port and path; then further options of h2load.
serving_h2load() { cpu_rate ticks "$1" -- serving_h2load_client "${@:2}"; }
serving_h2load_client() {
    taskset -c 1 h2load -t 1 -D "$seconds" "${@:2}" "https://localhost:$1" 2>&1 | h2load_answers
}
# The same of h2load.
h2load_answers() {
    awk '/^requests:/ { done = $6; bad = $10 + $12 + $14; line = $0 } /^status codes:/ { good = $3 }
        END { if (done > 0 && good >= done && bad == 0) print done; else print "h2load:", line >"/dev/stderr" }'
}

serving_bare_post_prepare() { serving_prepare; }
serving_bare_post_ours() { serving_wrk "$serving_bare" http://127.0.0.1:18901/ -s "$load_folder/post.lua"; }
serving_bare_post_reference() { serving_wrk "$serving_nginx" http://127.0.0.1:18905/ -s "$load_folder/post.lua"; }
serving_bare_post_end() { serving_end; }

serving_bare_get_prepare() { serving_prepare; }
serving_bare_get_ours() { serving_wrk "$serving_bare" http://127.0.0.1:18901/; }
serving_bare_get_reference() { serving_wrk "$serving_nginx" http://127.0.0.1:18905/; }
serving_bare_get_end() { serving_end; }

serving_bare_post_tls_prepare() { serving_prepare; }
serving_bare_post_tls_ours() { serving_wrk "$serving_bare" https://127.0.0.1:18902/ -s "$load_folder/post.lua"; }
serving_bare_post_tls_reference() { serving_wrk "$serving_nginx" https://127.0.0.1:18906/ -s "$load_folder/post.lua"; }
serving_bare_post_tls_end() { serving_end; }

serving_bare_get_tls_prepare() { serving_prepare; }
serving_bare_get_tls_ours() { serving_wrk "$serving_bare" https://127.0.0.1:18902/; }
serving_bare_get_tls_reference() { serving_wrk "$serving_nginx" https://127.0.0.1:18906/; }
serving_bare_get_tls_end() { serving_end; }

# HTTP/2: eight connections with eight requests at a time.
serving_http2_post_prepare() { serving_prepare; }
serving_http2_post_ours() { serving_h2load "$serving_bare" 18902/ -c 8 -m 8 -d "$load_folder/body"; }
serving_http2_post_reference() { serving_h2load "$serving_nginx" 18906/ -c 8 -m 8 -d "$load_folder/body"; }
serving_http2_post_end() { serving_end; }

serving_http2_get_prepare() { serving_prepare; }
serving_http2_get_ours() { serving_h2load "$serving_bare" 18902/ -c 8 -m 8; }
serving_http2_get_reference() { serving_h2load "$serving_nginx" 18906/ -c 8 -m 8; }
serving_http2_get_end() { serving_end; }

# As phones do: 64 connections, each with one request at a time.
serving_http2_64x1_prepare() { serving_prepare; }
serving_http2_64x1_ours() { serving_h2load "$serving_bare" 18902/ -c 64 -m 1; }
serving_http2_64x1_reference() { serving_h2load "$serving_nginx" 18906/ -c 64 -m 1; }
serving_http2_64x1_end() { serving_end; }

# A megabyte from memory, and by nginx from a file: download-server has no HTTP/2.
serving_http2_1m_prepare() { serving_prepare; }
serving_http2_1m_ours() { serving_h2load "$serving_bare" 18902/large -c 8 -m 4; }
serving_http2_1m_reference() { serving_h2load "$serving_nginx" 18906/large -c 8 -m 4; }
serving_http2_1m_end() { serving_end; }

# Eight callers, each of which opens one connection after the other for one GET: TLS 1.3, without resumption.
handshakes_prepare() { serving_prepare; }
handshakes_rate() { cpu_rate ticks "$1" -- taskset -c 1 "$load_folder/load" handshakes -p "$2" -n 8 -t -l 100 -s "$seconds"; }
handshakes_ours() { handshakes_rate "$serving_bare" 18902; }
handshakes_reference() { handshakes_rate "$serving_nginx" 18906; }
handshakes_end() { serving_end; }

# A JSON operation as services have them, of a caller with a role, 64 connections: against nginx that knows the answer.
serving_json_prepare() { serving_prepare; }
serving_json_rate() {
    cpu_rate ticks "$1" -- taskset -c 1 "$load_folder/load" requests -p "$2" -u "$3" -n 64 -k "$load_folder/metadata-proxy" -b 233 -l 73 \
        -s "$seconds"
}
serving_json_ours() { serving_json_rate "$serving_json" 18903 /measure; }
serving_json_reference() { serving_json_rate "$serving_nginx" 18907 /json; }
serving_json_end() { serving_end; }

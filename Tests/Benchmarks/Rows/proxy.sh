# The metadata proxy against nginx as a reverse proxy that strips headers: requests for each second of the server's processor
# time. Both stand on the first core; the client, and nginx as the service behind both, on the second. The deadline is off.

proxy_prepare() {
    proxy_folder="$scratch/proxy"
    mkdir -p "$proxy_folder"
    openssl ecparam -name prime256v1 -genkey -noout -out "$proxy_folder/key.pem" 2>/dev/null
    openssl req -new -x509 -key "$proxy_folder/key.pem" -out "$proxy_folder/certificate.pem" -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost 2>/dev/null
    # Seven bytes are answered by what came of their caller.
    proxy_nginx back 10 "
        map \$content_length \$answer {
            default ok-0123456789abcdef; 7 caller:\$http_user_agent\$http_cookie\$http_accept\$http_x_forwarded_for;
        }
        ssl_certificate certificate.pem; ssl_certificate_key key.pem; ssl_client_certificate certificate.pem; ssl_protocols TLSv1.3;
        ssl_verify_client on;
        server {
            listen 127.0.0.1:18981; listen 127.0.0.1:18987 ssl; default_type application/json;
            location / { return 200 \$answer; }
        }"
    proxy_nginx front 01 "
        upstream behind { server 127.0.0.1:18981; keepalive 256; keepalive_requests 100000000; }
        ssl_certificate certificate.pem; ssl_certificate_key key.pem; ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_tickets off; ssl_session_cache off;
        server {
            listen 127.0.0.1:18982; listen 127.0.0.1:18983 ssl http2; keepalive_timeout 600;
            location / {
                proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection ''; proxy_set_header Host behind;
                proxy_set_header User-Agent ''; proxy_set_header Cookie ''; proxy_set_header Accept-Language '';
                proxy_set_header Referer '';
            }
        }"
    proxy_ours plain 18984 --upstream http://127.0.0.1:18981
    proxy_ours secure 18985 --upstream http://127.0.0.1:18981 --tls "$proxy_folder"
    local port
    for port in 18981 18982 18983 18984 18985; do proxy_wait "$port"; done
    # The process that does the work, whose parent is the one that was started.
    proxy_reference=$(pgrep -P "$proxy_front")
    proxy_body() {
        printf 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = string.rep("a", %s)\n' "$1"
    }
    proxy_body 2048 >"$proxy_folder/2k.lua"
    proxy_body 65536 >"$proxy_folder/64k.lua"
}

# $1: its name; $2: its port; then further options.
proxy_ours() {
    NIO_SINGLETON_GROUP_LOOP_COUNT=1 taskset -c 0 "$benchmarks" proxy --port "$2" "${@:3}" >"$scratch/proxy-$1.log" 2>&1 &
    printf -v "proxy_$1" %s "$!"
}

# $1: its name; $2: the mask of its core; $3: what it serves; $4: a module, if it needs one. It takes relative paths in that to be
# in $proxy_folder, which is private, and runs as whoever runs this.
proxy_nginx() {
    cat >"$proxy_folder/$1.conf" <<CONF
${4:+load_module $4;}
worker_processes 1; worker_cpu_affinity $2; daemon off; pid $proxy_folder/$1.pid; error_log $scratch/$1.log;
events { worker_connections 30000; }
http {
    access_log off; keepalive_requests 100000000; client_body_buffer_size 128k; client_max_body_size 128k;
    client_body_temp_path $proxy_folder/body; proxy_temp_path $proxy_folder/proxied; fastcgi_temp_path $proxy_folder/fastcgi;
    uwsgi_temp_path $proxy_folder/uwsgi; scgi_temp_path $proxy_folder/scgi;
    $3
}
CONF
    "$nginx" -c "$proxy_folder/$1.conf" -p "$proxy_folder/" -e "$scratch/$1.log" &
    printf -v "proxy_$1" %s "$!"
}

proxy_wait() {
    local attempt
    for attempt in $(seq 100); do
        (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        sleep 0.1
    done
    fail "Nothing listens on port $1: $(tail -qn 1 "$scratch"/*.log)"
}

# $1: the server's process id; then a client, which prints as wrk does.
proxy_rate() { cpu_rate ticks "$1" -- proxy_client "${@:2}"; }
proxy_client() {
    taskset -c 1 "$@" | awk '/Non-2xx/ { bad = $NF } /requests in/ { n = $1 } END { if (n > bad + 0) print n - bad }'
}

# $1: the server's process id; $2: scheme and port; $3: connections; then further options of wrk.
proxy_wrk() {
    local id=$1 address=$2 connections=$3
    shift 3
    proxy_rate "$id" wrk -t 1 -c "$connections" -d "${seconds}s" -H 'User-Agent: x' -H 'Cookie: a=b' "$@" \
        "${address%:*}://127.0.0.1:${address#*:}/measure"
}

proxy_get_prepare() { proxy_prepare; }
proxy_get_ours() { proxy_wrk "$proxy_plain" http:18984 64; }
proxy_get_reference() { proxy_wrk "$proxy_reference" http:18982 64; }
proxy_get_end() { proxy_end; }

proxy_post_2k_prepare() { proxy_prepare; }
proxy_post_2k_ours() { proxy_wrk "$proxy_plain" http:18984 64 -s "$proxy_folder/2k.lua"; }
proxy_post_2k_reference() { proxy_wrk "$proxy_reference" http:18982 64 -s "$proxy_folder/2k.lua"; }
proxy_post_2k_end() { proxy_end; }

# The same against nginx that does as we do: it passes on nothing of the caller's, and of the answer the body and its type, and
# pads what it answers, on a kept connection with status 200, to our length in JavaScript (njs).
proxy_padded_prepare() {
    proxy_prepare
    local module=/usr/lib/nginx/modules/ngx_http_js_module.so port
    if [ ! -f "$module" ]; then
        unpack_package libnginx-mod-http-js
        module="$unpacked$module"
    fi
    cat >"$proxy_folder/padding.js" <<'JS'
const rest = 1024 - ('HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: \r\nContent-Length: \r\n' +
    'Connection: keep-alive\r\ncache-control: no-store\r\ncwa-header-padding: \r\n\r\n').length;
const padding = 'X'.repeat(rest);
function pad(r) {
    const out = r.headersOut, type = out['Content-Type'], length = out['Content-Length'];
    for (const name in out) {
        if (name != 'Content-Type' && name != 'Content-Length') delete out[name];
    }
    out['cwa-header-padding'] = padding.slice(type.length + length.length + Number(length));
}
export default { pad };
JS
    proxy_nginx padded 01 "
        js_import padding from $proxy_folder/padding.js;
        upstream behind { server 127.0.0.1:18981; keepalive 256; keepalive_requests 100000000; }
        server {
            listen 127.0.0.1:18986; keepalive_timeout 600; server_tokens off;
            location / {
                proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection ''; proxy_set_header Host behind;
                proxy_pass_request_headers off; proxy_set_header Content-Type \$content_type;
                add_header cache-control no-store; js_header_filter padding.pad;
            }
        }" "$module"
    proxy_wait 18986
    proxy_padding=$(pgrep -P "$proxy_padded")
    for port in 18984 18986; do
        proxy_padded_check "$port" ok-0123456789abcdef
        proxy_padded_check "$port" caller: -H 'Content-Type: application/json' -d measure
    done
}

# $1: the port; $2: the body that must come, in 1,024 bytes with the header; then options of curl.
proxy_padded_check() {
    local port=$1 body=$2
    shift 2
    curl -s -i -A x -b a=b -H 'X-Forwarded-For: 192.0.2.1' "$@" "http://127.0.0.1:$port/measure" >"$proxy_folder/answer" || true
    [ "$(wc -c <"$proxy_folder/answer")" = 1024 ] && [ "$(tail -n 1 "$proxy_folder/answer")" = "$body" ] ||
        fail "The proxy on port $port doesn't strip or pad: $(cat "$proxy_folder/answer" "$scratch/padded.log")"
}

proxy_get_padded_prepare() { proxy_padded_prepare; }
proxy_get_padded_ours() { proxy_wrk "$proxy_plain" http:18984 64; }
proxy_get_padded_reference() { proxy_wrk "$proxy_padding" http:18986 64; }
proxy_get_padded_end() { proxy_padded_end; }

proxy_post_2k_padded_prepare() { proxy_padded_prepare; }
proxy_post_2k_padded_ours() { proxy_wrk "$proxy_plain" http:18984 64 -s "$proxy_folder/2k.lua"; }
proxy_post_2k_padded_reference() { proxy_wrk "$proxy_padding" http:18986 64 -s "$proxy_folder/2k.lua"; }
proxy_post_2k_padded_end() { proxy_padded_end; }

proxy_padded_end() {
    kill "$proxy_padded"
    wait "$proxy_padded" 2>/dev/null || true
    proxy_end
}

proxy_post_64k_prepare() { proxy_prepare; }
proxy_post_64k_ours() { proxy_wrk "$proxy_plain" http:18984 64 -s "$proxy_folder/64k.lua"; }
proxy_post_64k_reference() { proxy_wrk "$proxy_reference" http:18982 64 -s "$proxy_folder/64k.lua"; }
proxy_post_64k_end() { proxy_end; }

proxy_tls_prepare() { proxy_prepare; }
proxy_tls_ours() { proxy_wrk "$proxy_secure" https:18985 64; }
proxy_tls_reference() { proxy_wrk "$proxy_reference" https:18983 64; }
proxy_tls_end() { proxy_end; }

proxy_1000_connections_prepare() { proxy_prepare; }
proxy_1000_connections_ours() { proxy_wrk "$proxy_plain" http:18984 1000; }
proxy_1000_connections_reference() { proxy_wrk "$proxy_reference" http:18982 1000; }
proxy_1000_connections_end() { proxy_end; }

# Full TLS 1.3 handshakes; the client says "123 connections in 4.00s".
proxy_handshakes_rate() {
    proxy_rate "$1" sh -c "openssl s_time -connect 127.0.0.1:$2 -new -time $seconds 2>/dev/null |
        awk '/connections in .* real/ { print \$1, \"requests in\" }'"
}
proxy_handshakes_prepare() { proxy_prepare; }
proxy_handshakes_ours() { proxy_handshakes_rate "$proxy_secure" 18985; }
proxy_handshakes_reference() { proxy_handshakes_rate "$proxy_reference" 18983; }
proxy_handshakes_end() { proxy_end; }

# Connections that fit into a MiB, of 10,000 idle ones. What counts as good is a bound, 10,000 in 400 MiB, and no other server.
proxy_idle_memory_prepare() { proxy_prepare; }
proxy_idle_memory_ours() {
    local before during count
    before=$(resident "$proxy_secure")
    coproc idle { taskset -c 1 "$benchmarks" idle-connections --port 18985 --count 10000 2>>"$scratch/idle.log"; }
    read -r -u "${idle[0]}" -t 120 count || return 1
    during=$(resident "$proxy_secure")
    exec {idle[1]}>&-
    wait "$idle_PID" 2>/dev/null || true
    awk -v n="$count" -v kib=$((during - before)) 'BEGIN { print n * 1024 / kib }'
}
proxy_idle_memory_reference() { awk 'BEGIN { print 10000 / 400 }'; }
proxy_idle_memory_end() { proxy_end; }

resident() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }

proxy_end() {
    kill "$proxy_plain" "$proxy_secure" "$proxy_front" "$proxy_back"
    wait "$proxy_plain" "$proxy_secure" "$proxy_front" "$proxy_back" 2>/dev/null || true
}

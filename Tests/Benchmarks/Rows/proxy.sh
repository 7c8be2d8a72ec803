# The metadata proxy against nginx as a reverse proxy that strips headers: requests for each second of the server's processor
# time. Both stand on the first core; the client, and nginx as the service behind both, on the second. The deadline is off.

proxy_prepare() {
    proxy_folder="$scratch/proxy"
    mkdir -p "$proxy_folder"
    openssl ecparam -name prime256v1 -genkey -noout -out "$proxy_folder/key.pem" 2>/dev/null
    openssl req -new -x509 -key "$proxy_folder/key.pem" -out "$proxy_folder/certificate.pem" -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost 2>/dev/null
    # Seven bytes are answered by what came of their caller.
    nginx_start back 1 "
        map \$content_length \$answer {
            default ok-0123456789abcdef; 7 caller:\$http_user_agent\$http_cookie\$http_accept\$http_x_forwarded_for;
        }
        server {
            listen 127.0.0.1:18981; default_type application/json;
            location / { return 200 \$answer; }
        }"
    nginx_start front 0 "
        upstream behind { server 127.0.0.1:18981; keepalive 256; keepalive_requests 100000000; }
        ssl_certificate $proxy_folder/certificate.pem; ssl_certificate_key $proxy_folder/key.pem; ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_tickets off; ssl_session_cache off;
        server {
            listen 127.0.0.1:18982; listen 127.0.0.1:18983 ssl http2;
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
    proxy_reference=$front_nginx
    proxy_check
    proxy_body() {
        printf 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = string.rep("a", %s)\n' "$1"
    }
    proxy_body 2048 >"$proxy_folder/2k.lua"
    proxy_body 65536 >"$proxy_folder/64k.lua"
}

# $1: its name; $2: its port; then further options.
proxy_ours() {
    VIGIL_CORES=1 taskset -c 0 "$benchmarks" proxy --port "$2" "${@:3}" >"$scratch/proxy-$1.log" 2>&1 &
    printf -v "proxy_$1" %s "$!"
}

proxy_wait() { serving_wait "$1"; }

# Fails unless all proxies pass on requests and answers. Rows do this before and after they measure.
proxy_check() {
    local address method got
    for address in http://localhost:18982 https://localhost:18983 http://localhost:18984 https://localhost:18985; do
        for method in GET POST; do
            got=$(curl -s -w ' %{http_code}' --cacert "$proxy_folder/certificate.pem" -X "$method" -H 'Content-Type: application/json' \
                $([ "$method" = GET ] || printf -- '--data-binary {}') "$address/measure") || true
            [ "$got" = "ok-0123456789abcdef 200" ] || fail "$address answers $method with $got: $(tail -qn 1 "$scratch"/proxy-*.log)"
        done
    done
}

# $1: the server's process id; then a client, which prints as wrk does.
proxy_rate() { cpu_rate ticks "$1" -- proxy_client "${@:2}"; }
proxy_client() {
    taskset -c 1 "$@" | wrk_answers
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
    nginx_start padded 0 "
        js_import padding from $proxy_folder/padding.js;
        upstream behind { server 127.0.0.1:18981; keepalive 256; keepalive_requests 100000000; }
        server {
            listen 127.0.0.1:18986; server_tokens off;
            location / {
                proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection ''; proxy_set_header Host behind;
                proxy_pass_request_headers off; proxy_set_header Content-Type \$content_type;
                add_header cache-control no-store; js_header_filter padding.pad;
            }
        }" "$module"
    proxy_wait 18986
    proxy_padding=$padded_nginx
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
    kill "$padded_nginx"
    wait "$padded_nginx" 2>/dev/null || true
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

# Eight callers, each of which opens one connection after the other for one GET: TLS 1.3, without resumption.
proxy_handshakes_rate() {
    cpu_rate ticks "$1" -- taskset -c 1 "$load_folder/load" handshakes -p "$2" -u /measure -n 8 -t -l 19 -s "$seconds"
}
proxy_handshakes_prepare() { load_prepare && proxy_prepare; }
proxy_handshakes_ours() { proxy_handshakes_rate "$proxy_secure" 18985; }
proxy_handshakes_reference() { proxy_handshakes_rate "$proxy_reference" 18983; }
proxy_handshakes_end() { proxy_end; }

# Requests that are refused by their header, as those over a limit are, and served ones; both by ours.
proxy_refused_client() {
    taskset -c 1 wrk -t 1 -c 64 -d "${seconds}s" http://127.0.0.1:18984/unknown |
        awk '/Socket errors/ { bad = 1 } /Non-2xx/ { refused = $NF } /requests in/ { n = $1 } END { if (!bad && n > 0 && n == refused) print n }'
}
proxy_refused_prepare() { proxy_prepare; }
proxy_refused_ours() { cpu_rate ticks "$proxy_plain" -- proxy_refused_client; }
proxy_refused_reference() { proxy_wrk "$proxy_plain" http:18984 64; }
proxy_refused_end() { proxy_end; }

proxy_end() {
    proxy_check
    kill "$proxy_plain" "$proxy_secure" "$front_nginx" "$back_nginx"
    wait "$proxy_plain" "$proxy_secure" "$front_nginx" "$back_nginx" 2>/dev/null || true
}

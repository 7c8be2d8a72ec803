# Our client beside libcurl's multi interface: POST requests of 300 bytes over mutual TLS, 16 at once, to nginx. The client is alone on the
# first core, and its own processor time counts; nginx is on the second.

calling_prepare() {
    load_prepare
    local bytes
    printf -v bytes 'a%.0s' $(seq 100)
    nginx_start calling 1 "
        server {
            listen 127.0.0.1:18908 ssl; ssl_protocols TLSv1.3; ssl_session_tickets off;
            ssl_certificate $load_folder/verification-server.pem; ssl_certificate_key $load_folder/verification-server.key;
            ssl_client_certificate $load_folder/authority.pem; ssl_verify_client on;
            location / { return 200 $bytes; }
        }"
    serving_wait 18908
}
# Prints calls for each second of processor time. $@: the client, which prints what `Measurement` does.
calling_rate() {
    VIGIL_CORES=1 taskset -c 0 "$@" 2>>"$scratch/calling.log" |
        sed -n 's/.*"cpu_seconds":\([0-9.]*\).*"operations":\([0-9]*\).*/\1 \2/p' | awk '$2 > 0 { print $2 / $1 }'
}
calling_ours() { calling_rate "$benchmarks" calls --base https://localhost:18908 --folder "$load_folder" --seconds "$seconds"; }
calling_reference() { calling_rate "$load_folder/calls" https://localhost:18908/measure "$load_folder" 16 "$seconds"; }
calling_end() {
    kill "$calling_nginx"
    wait "$calling_nginx" 2>/dev/null || true
}

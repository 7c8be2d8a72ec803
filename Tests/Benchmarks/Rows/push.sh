# The push dispatcher's way to Apple's service, over one TLS connection: the server on the first core, the client on the
# second.

# Keys, a certificate for localhost, and the header of a push as Apple wants it.
push_files() {
    push_folder="$scratch/push"
    mkdir -p "$push_folder"
    openssl ecparam -name prime256v1 -genkey -noout 2>/dev/null | openssl pkcs8 -topk8 -nocrypt -out "$push_folder/key.p8"
    openssl pkey -in "$push_folder/key.p8" -pubout -out "$push_folder/public.pem"
    openssl ecparam -name prime256v1 -genkey -noout -out "$push_folder/key.pem" 2>/dev/null
    openssl req -new -x509 -key "$push_folder/key.pem" -out "$push_folder/certificate.pem" -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost 2>/dev/null
}

# Prints the line of JSON that says how many were accepted, in which time.
# $1: the server's port.
push_ours() {
    VIGIL_CORES=1 taskset -c 1 "$benchmarks" pushes --port "$1" --seconds "$seconds" \
        --authorities "$push_folder/certificate.pem" --key "$push_folder/key.p8" 2>>"$scratch/push.log"
}

# The value of a name in that line.
push_value() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"; }

push_end() {
    kill "$push_server"
    wait "$push_server" 2>/dev/null || true
}

# Pushes for each second of the client's processor time, against h2load with the same requests to the same server, nghttpd,
# which has a file for each of a thousand tokens and answers 200.
push_throughput_prepare() {
    push_files
    local number token
    mkdir -p "$push_folder/root/3/device"
    for number in $(seq 0 999); do
        printf -v token '%064d' "$number"
        : >"$push_folder/root/3/device/$token"
        printf 'https://localhost:18961/3/device/%s\n' "$token"
    done >"$push_folder/addresses"
    printf '{"aps":{"content-available":1}}' >"$push_folder/payload"
    taskset -c 0 nghttpd -d "$push_folder/root" -n 1 -m 1000 -a 127.0.0.1 18961 "$push_folder/key.pem" \
        "$push_folder/certificate.pem" >"$scratch/nghttpd.log" 2>&1 &
    push_server=$!
    proxy_wait 18961
}
push_throughput_ours() {
    local line
    line=$(push_ours 18961) || return 1
    awk -v n="$(push_value operations <<<"$line")" -v t="$(push_value cpu_seconds <<<"$line")" 'BEGIN { print n / t }'
}
push_throughput_reference() {
    # A provider token of the same length as ours.
    local token
    token=$(printf 'a%.0s' $(seq 198))
    local TIMEFORMAT='cpu %U %S'
    { time taskset -c 1 h2load -c 1 -m 1000 -t 1 -D "$seconds" -d "$push_folder/payload" \
        -i "$push_folder/addresses" -H 'apns-topic: org.example.app' -H 'apns-push-type: background' -H 'apns-priority: 5' \
        -H 'apns-expiration: 1790000000' -H 'apns-collapse-id: sync' -H 'apns-id: eabeae54-14a8-11e5-b60b-1697f925ec7b' \
        -H "authorization: bearer $token" 2>>"$scratch/h2load.log"; } 2>&1 |
        awk '/^requests:/ { n = $8 } /^cpu / { t = $2 + $3 } END { if (n > 0) print n / t }'
}
push_throughput_end() { push_end; }

# Pushes a second when each answer takes 40 ms and 1,000 may be under way, against what is possible at all: 25,000.
push_40ms_prepare() {
    push_files
    ADMIN_PORT=18972 TOPIC=org.example.app TEAM_ID=TEAM123456 KEY_ID=KEY1234567 PUBLIC_KEY="$push_folder/public.pem" \
        TLS_CERTIFICATE="$push_folder/certificate.pem" TLS_KEY="$push_folder/key.pem" \
        TLS_AUTHORITIES="$push_folder/certificate.pem" PRODUCTION_PORT=18971 SANDBOX_PORT=18973 CONTROL_PORT=18974 \
        DELAY=0.04 taskset -c 0 "${benchmarks%/*}/development-apns" >"$scratch/development-apns.log" 2>&1 &
    push_server=$!
    proxy_wait 18971
}
push_40ms_ours() {
    local line
    line=$(push_ours 18971) || return 1
    awk -v n="$(push_value operations <<<"$line")" -v t="$(push_value seconds <<<"$line")" 'BEGIN { print n / t }'
}
push_40ms_reference() { printf '25000\n'; }
push_40ms_end() { push_end; }

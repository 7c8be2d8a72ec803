#!/usr/bin/env bash
# Checks how certificates come to callers outside and to the doors: deploy/secrets.sh and deploy/certificates-hook.sh.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/certificates.sh [--help]

Installs what is missing, builds, and runs a suite of its own on free ports. deploy/secrets.sh gives it names for callers outside and
makes the folders of laboratories, one of them from a request; their texts' calls run as they are printed. Then
deploy/certificates-hook.sh puts certificates in place by which an nginx is called, and refuses what doesn't fit; certbot calls it
with certificates of Pebble, an authority for tests. No container is started. Takes about a minute; needs root.
TEXT
}

case ${1:-} in
    '') ;;
    -h | --help)
        usage
        exit 0
        ;;
    *) fail "certificates.sh has no option $1; see --help." ;;
esac

[ "$(id -u)" = 0 ] || fail "Owners of files are set here: run this as root."
packages+=("${authority_packages[@]}")
prepare_machine
check_disk "$checkout" 6000
prepare_nginx
build_debug
[ -n "${VIGIL_PROGRAMS:-}" ] || programs="$checkout/.build/debug"

# What is expected and isn't so.
wrong() { fail "FAILED: $*"; }

# Runs a command that has to fail, and to say something. $1: what it has to say; then the command.
refuses() {
    local reason=$1 said
    shift
    if said=$("$@" 2>&1); then wrong "$* should have been refused."; fi
    [[ $said == *"$reason"* ]] || wrong "$* said: $said"
}

start_suite
export VIGIL_SECRETS="$scratch" VIGIL_STAGE="$scratch" VIGIL_PROGRAMS="$programs" VIGIL_NGINX="$nginx"
compose="$checkout/Tests/Live/certificates/compose.sh"
# There is no engine that preflight.sh could ask.
secrets() { bash "$checkout/deploy/secrets.sh" --no-preflight --compose "bash $compose" "$@"; }
hook() { bash "$checkout/deploy/certificates-hook.sh" --compose "bash $compose" "$@"; }
# The edge's and the hook's later; secrets.sh reloads it already.
cat >"$scratch/nginx.conf" <<TEXT
pid $scratch/nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path $scratch/body;
    proxy_temp_path $scratch/proxy;
    fastcgi_temp_path $scratch/fastcgi;
    uwsgi_temp_path $scratch/uwsgi;
    scgi_temp_path $scratch/scgi;
    server {
        listen 127.0.0.1:$((first_port + 190)) ssl;
        ssl_certificate $scratch/files/edge.pem;
        ssl_certificate_key $scratch/files/edge.key;
        location / { return 200; }
    }
}
TEXT

# MARK: Names

say "Making the folders of callers …"
callers="$scratch/callers"
mkdir "$scratch/files"
cp "$scratch/state/certificates/public.pem" "$scratch/files/edge.pem"
cp "$scratch/state/certificates/public.key" "$scratch/files/edge.key"
"$nginx" -e stderr -c "$scratch/nginx.conf"
stop_all() {
    [ ! -e "$scratch/nginx.pid" ] || kill -QUIT "$(cat "$scratch/nginx.pid")" 2>/dev/null || true
    [ -z "${pebble:-}" ] || kill "$pebble" 2>/dev/null || true
    stop_suite
}
trap stop_all EXIT

export VIGIL_NAMES=test-result-server=labs.example.org,health-portal=192.0.2.7
secrets lab bonn >/dev/null
for file in tls.pem tls.key ca.pem README.txt; do [ -s "$callers/lab-bonn/$file" ] || wrong "callers/lab-bonn has no $file."; done
for name in lab quick-test pocnat contact-tracing survey-server log-server portal certificate-server; do
    [ -s "$callers/$name/README.txt" ] || wrong "callers/$name has no README.txt."
done
openssl x509 -in "$scratch/files/health-portal.pem" -noout -checkip 192.0.2.7 | grep 'does match' >/dev/null ||
    wrong "The portal's certificate doesn't have its address."
# They stay without the variable, and go with others.
unset VIGIL_NAMES
before=$(sha256sum "$scratch/files/test-result-server.pem")
secrets >/dev/null
[ "$(sha256sum "$scratch/files/test-result-server.pem")" = "$before" ] || wrong "A second run makes other certificates."
VIGIL_NAMES='test-result-server=a_b' refuses 'neither a DNS name' secrets
VIGIL_NAMES='test-results=labs.example.org' refuses 'is no service' secrets

# The call of a folder's text, as it is printed; only the connection leads to this suite. $1: the folder.
call() (
    cd "$1"
    # The text's commands call it.
    # shellcheck disable=SC2317
    curl() { command curl --connect-to "labs.example.org:8020:127.0.0.1:$((first_port + 20))" "$@"; }
    eval "$(sed -n '/with bash:$/,/^It prints/{ /with bash:$/d; /^It prints/d; p }' README.txt)"
)
# The running server takes the certificate with its name within ten seconds.
for attempt in $(seq 100); do
    status=$(call "$callers/lab-bonn" 2>/dev/null) && break
    [ "$attempt" != 100 ] || wrong "The call of callers/lab-bonn fails: $(call "$callers/lab-bonn" 2>&1)"
    sleep 0.2
done
[ "$status" = 204 ] || wrong "The call of callers/lab-bonn prints $status."

# MARK: Requests

mkdir "$scratch/laboratory"
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$scratch/laboratory/tls.key" \
    -out "$scratch/laboratory/request.pem" -subj /CN=request 2>/dev/null
secrets lab koeln --csr "$scratch/laboratory/request.pem" >/dev/null
[ ! -e "$callers/lab-koeln/tls.key" ] || wrong "A laboratory with a key of its own is given one."
[ ! -e "$scratch/request.csr" ] || wrong "The request is left behind."
cp "$scratch/laboratory/tls.key" "$callers/lab-koeln/"
[ "$(call "$callers/lab-koeln" 2>/dev/null)" = 204 ] || wrong "The call with a key of one's own fails: $(call "$callers/lab-koeln" 2>&1)"
# Bonn changes its mind: the key that was made for it goes.
secrets lab bonn --csr "$scratch/laboratory/request.pem" >/dev/null
[ ! -e "$callers/lab-bonn/tls.key" ] || wrong "The key of a certificate that was replaced is left."
secrets >/dev/null
cmp -s "$callers/lab-bonn/tls.pem" "$scratch/state/certificates/lab-bonn.pem" || wrong "The folder has another certificate."
[ "$(openssl x509 -in "$callers/lab-bonn/tls.pem" -noout -pubkey)" = \
    "$(openssl pkey -in "$scratch/laboratory/tls.key" -pubout)" ] || wrong "The certificate is for another key."
refuses "isn't a request" secrets lab aachen --csr "$callers/ca.pem"
head -c 200000 /dev/zero >"$scratch/zeros"
refuses 'has more than' secrets lab aachen --csr "$scratch/zeros"
refuses "can't be read" secrets lab aachen --csr "$scratch/nothing"
[ ! -e "$callers/lab-aachen" ] || wrong "A refused request leaves a folder."

# MARK: The list

secrets list | grep ' lab-koeln .* current, by request$' >/dev/null || wrong "The list doesn't have lab-koeln."
[ "$(secrets list | grep -c ' lab-bonn ')" = 2 ] || wrong "The list doesn't have both certificates of lab-bonn."
[ -z "$(secrets list --expiring 60d)" ] || wrong "Something expires within 60 days."
status=0
secrets list --expiring 400d --json >"$scratch/list" || status=$?
[ "$status" = 3 ] || wrong "With something that expires, the status is $status."
grep -q '"name" : "lab-koeln"' "$scratch/list" || wrong "The list in JSON doesn't have lab-koeln."

# MARK: The hook

say "Putting certificates of a public authority in place …"
cd "$scratch/laboratory"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout root.key -out root.pem -subj /CN=root -days 30 2>/dev/null
# $1: the file's base name; $2: the issuer's; $3: days; then extensions.
issue() {
    local name=$1 issuer=$2 days=$3
    shift 3
    printf '%s\n' "$@" >extensions
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$name.key" -out request -subj "/CN=$name" 2>/dev/null
    openssl x509 -req -in request -CA "$issuer.pem" -CAkey "$issuer.key" -CAcreateserial -out "$name.pem" -days "$days" \
        -extfile extensions 2>/dev/null
}
issue middle root 20 basicConstraints=critical,CA:TRUE keyUsage=critical,keyCertSign
# shellcheck disable=SC2054
leaf=(keyUsage=critical,digitalSignature extendedKeyUsage=serverAuth)
issue doors middle 10 "${leaf[@]}" subjectAltName=DNS:apps.example.org,DNS:downloads.example.org,IP:192.0.2.8
issue stranger root 10 "${leaf[@]}" subjectAltName=DNS:apps.example.org
issue client middle 10 keyUsage=critical,digitalSignature extendedKeyUsage=clientAuth subjectAltName=DNS:apps.example.org
issue old middle -1 "${leaf[@]}" subjectAltName=DNS:apps.example.org
cat doors.pem middle.pem >chain.pem
cat client.pem middle.pem >client-chain.pem
cat old.pem middle.pem >old-chain.pem
cat stranger.pem middle.pem >stranger-chain.pem

facts() { stat -c '%n %i %a %u:%g' "$scratch"/files/{public,edge,portal-public,federation-callback}.{pem,key}; }
contents() { sha256sum "$scratch"/files/{public,edge,portal-public,federation-callback}.{pem,key}; }
owners=$(facts)
untouched=$(contents)
chain=(--certificate chain.pem --key doors.key)
refuses 'No certificate is given' hook apps=apps.example.org
refuses 'No door is named' hook "${chain[@]}"
refuses 'takes no argument' hook "${chain[@]}" apps
refuses 'takes no argument' hook "${chain[@]}" doors=apps.example.org
refuses "isn't the key" hook --certificate chain.pem --key middle.key apps=apps.example.org
refuses 'one certificate only' hook --certificate doors.pem --key doors.key apps=apps.example.org
refuses 'unsuitable certificate purpose' hook --certificate client-chain.pem --key client.key apps=apps.example.org
refuses 'certificate has expired' hook --certificate old-chain.pem --key old.key apps=apps.example.org
refuses 'unable to get' hook --certificate stranger-chain.pem --key stranger.key apps=apps.example.org
refuses "doesn't cover codes.example.org" hook "${chain[@]}" apps=apps.example.org portal=codes.example.org
refuses "doesn't cover 192.0.2.9" hook "${chain[@]}" apps=apps.example.org,192.0.2.9
refuses 'no private key' hook --certificate chain.pem --key chain.pem apps=apps.example.org
refuses "can't be read" hook --certificate nothing.pem --key doors.key apps=apps.example.org
[ "$(contents)" = "$untouched" ] || wrong "A refused certificate was written."

# Whom the edge shows is what counts. $1: the name; $2: its authority.
shown() {
    timeout 5 openssl s_client -connect "127.0.0.1:$((first_port + 190))" -servername "$1" -verify_hostname "$1" \
        -CAfile "$2" -verify_return_error </dev/null >"$scratch/shown" 2>&1
}
# Some moments may pass until a worker with the old certificate has gone.
becomes_shown() {
    for attempt in $(seq 50); do
        ! shown "$@" || return 0
        sleep 0.1
    done
    wrong "The edge doesn't show the certificate of $1: $(grep -i error "$scratch/shown" | head -n 1)"
}
if shown downloads.example.org root.pem; then wrong "The edge shows what it wasn't given."; fi
hook "${chain[@]}" apps=apps.example.org,192.0.2.8 downloads=downloads.example.org >/dev/null
becomes_shown downloads.example.org root.pem
cmp -s chain.pem "$scratch/files/public.pem" || wrong "public.pem isn't the chain."
[ "$(facts)" = "$owners" ] || wrong "A file became another one, or has another owner: $(facts)"
[ -z "$(find "$scratch/files" -name '*.new')" ] || wrong "A copy is left."
# Again, it changes nothing, and reloads the edge in case the last attempt didn't.
reloads=$(wc -l <"$scratch/reloads")
untouched=$(contents)
hook "${chain[@]}" apps=apps.example.org downloads=downloads.example.org | grep '^new' >/dev/null && wrong "What is there is written again."
[ "$(contents)" = "$untouched" ] || wrong "A second run changes something."
[ "$(wc -l <"$scratch/reloads")" = $((reloads + 1)) ] || wrong "A second run doesn't reload the edge."
# deploy/secrets.sh keeps them, as the operator's own.
secrets >/dev/null
[ "$(contents)" = "$untouched" ] || wrong "deploy/secrets.sh replaces the public authority's certificates."
# As acme.sh calls its reload command (acme.sh, `_installcert`).
issue codes middle 10 "${leaf[@]}" subjectAltName=DNS:codes.example.org
cat codes.pem middle.pem >codes-chain.pem
(
    export CERT_PATH="$PWD/codes.pem" CERT_KEY_PATH="$PWD/codes.key" CA_CERT_PATH="$PWD/middle.pem"
    export CERT_FULLCHAIN_PATH="$PWD/codes-chain.pem" Le_Domain=codes.example.org
    hook portal=codes.example.org callback=codes.example.org >/dev/null
)
for name in portal-public federation-callback; do
    cmp -s codes-chain.pem "$scratch/files/$name.pem" || wrong "$name.pem isn't what acme.sh gave."
done

# MARK: certbot

say "Getting certificates with certbot …"
port=$((first_port + 191))
issue pebble middle 10 "${leaf[@]}" subjectAltName=IP:127.0.0.1
cat pebble.pem middle.pem >pebble-chain.pem
cat >pebble.json <<TEXT
{"pebble": {"listenAddress": "127.0.0.1:$port", "managementListenAddress": "127.0.0.1:$((port + 1))",
  "certificate": "pebble-chain.pem", "privateKey": "pebble.key", "httpPort": $((port + 2)), "tlsPort": $((port + 3)),
  "ocspResponderURL": "", "externalAccountBindingRequired": false}}
TEXT
# It believes whoever asks, at once.
PEBBLE_VA_ALWAYS_VALID=1 PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0 setpriv --pdeathsig TERM pebble -config pebble.json \
    >pebble.log 2>&1 &
pebble=$!
for attempt in $(seq 100); do
    ! curl --silent --fail --cacert root.pem "https://127.0.0.1:$port/dir" >/dev/null || break
    kill -0 "$pebble" 2>/dev/null || fail "Pebble doesn't start: $(tail -n 1 pebble.log)"
    sleep 0.1
done
curl --silent --fail --cacert root.pem "https://127.0.0.1:$((port + 1))/roots/0" >pebble-root.pem
run_certbot() {
    REQUESTS_CA_BUNDLE="$PWD/root.pem" certbot "$@" --non-interactive --config-dir certbot --work-dir certbot --logs-dir certbot \
        >certbot.log 2>&1
}
run_certbot certonly --standalone --http-01-port $((port + 2)) --server "https://127.0.0.1:$port/dir" --agree-tos \
    --register-unsafely-without-email --preferred-challenges http -d apps.example.net -d downloads.example.net \
    --deploy-hook "bash '$checkout/deploy/certificates-hook.sh' --compose 'bash $compose' apps=apps.example.net downloads=downloads.example.net" ||
    wrong "certbot gets no certificate: $(tail -n 5 certbot.log)"
becomes_shown downloads.example.net pebble-root.pem
cmp -s certbot/live/apps.example.net/fullchain.pem "$scratch/files/public.pem" || wrong "The hook didn't take certbot's certificate: $(cat certbot.log)"
# At a renewal, by itself.
before=$(sha256sum "$scratch/files/public.pem")
run_certbot renew --force-renewal --no-random-sleep-on-renew || wrong "certbot doesn't renew: $(tail -n 5 certbot.log)"
[ "$(sha256sum "$scratch/files/public.pem")" != "$before" ] || wrong "The renewed certificate isn't in place: $(cat certbot.log)"
cmp -s certbot/live/apps.example.net/fullchain.pem "$scratch/files/public.pem" || wrong "Another certificate is in place."
becomes_shown downloads.example.net pebble-root.pem
[ "$(facts)" = "$owners" ] || wrong "A file became another one, or has another owner: $(facts)"
say "PASSED: callers' folders work as printed, and the doors have their certificates."

#!/bin/sh
# Creates missing certificates and secrets and sets the owner of each file. deploy/secrets.sh runs it in a container without a
# network. /secrets is the operator's folder:
#
#     state/     written by `vigil certificates`, `vigil keys secrets` and `vigil federation-certificates`; the authority's private key
#                never leaves it
#     files/     the files that docker-compose.yml mounts; the owner of each file is its only reader
#     callers/   for outside callers: certificates of laboratories, test centres and the portal; the public key for apps
#
# Arguments: nothing, or ROLE NAME for a laboratory, test centre or another caller that gets a certificate of its own. After `sign`,
# the certificate is for the key of a request that comes on standard input. After `list`, arguments of `vigil certificates list`.
#
# It replaces nothing but certificates of the private authority that expire within 30 days or have other names than VIGIL_NAMES says.
set -eu
umask 077

# User and group of the services, and of the images of PostgreSQL, nginx and Prometheus.
service=10001:10001
postgres=999:999
nginx=101:101
prometheus=65534:65534
operator=$(stat -c %u:%g /secrets)

if [ "${1:-}" = list ]; then
    shift
    exec vigil certificates list --state /secrets/state "$@"
fi
request=
if [ "${1:-}" = sign ]; then
    shift
    request=/secrets/request.csr
    trap 'rm -f "$request"' EXIT
    # What is too long vigil refuses.
    head -c 100000 >"$request"
    partner="$1 $2"
    set --
fi
# Names outside, separated by commas. Without any, those of the last time stay.
set -f
for name in $(printf %s "${VIGIL_NAMES:-}" | tr , ' '); do set -- "$@" --name "$name"; done
set +f
made=$(vigil certificates --state /secrets/state "$@")
printf '%s\n' "$made" | sed -n '/^due /p'
if [ -n "$request" ]; then
    # Split into role and name on purpose.
    # shellcheck disable=SC2086
    vigil certificates sign --state /secrets/state --csr "$request" $partner >/dev/null
fi
vigil keys secrets --state /secrets/state >/dev/null
# For a trial: before an authority joins a federation, it makes them anew in its own name. They are never renewed by themselves, because
# the gateway's operator has to know a certificate before it is used.
vigil federation-certificates --state /secrets/state --anchor --country "${VIGIL_ORIGIN:-DE}" --organisation "Vigil development" \
    --unit Federation --email federation@example.org >/dev/null
mkdir -p /secrets/state/given /secrets/files /secrets/callers
# Those that `vigil certificates` wrote a text for: laboratories, test centres and others, including those for trials.
callers=
for file in /secrets/state/certificates/*.txt; do
    name=${file##*/}
    callers="$callers ${name%.txt}"
done

# The content of a file when this script last wrote it.
sum() { sha256sum <"$1" | cut -d ' ' -f 1; }

# Whether $2 begins with $1.
begins() { [ -e "$2" ] && cmp -s -n "$(stat -c %s "$1")" "$1" "$2"; }

# Copies a file: $1 below the state folder, $2 below /secrets, $3 the owner, $4 the mode.
give() {
    source=/secrets/state/$1 target=/secrets/$2
    note=/secrets/state/given/$(printf %s "$2" | tr / %)
    # The content that is being copied. It remains if the copy is interrupted.
    writing=$note.writing
    if [ ! -e "$target" ]; then
        # Write beside the target first, so that no reader takes half a secret for a whole one.
        cp "$source" "$target.new"
        chmod "$4" "$target.new"
        chown "$3" "$target.new"
        mv "$target.new" "$target"
        echo "made   $2"
    elif [ "$(sum "$target")" = "$(sum "$source")" ]; then
        chmod "$4" "$target"
        chown "$3" "$target"
    elif { [ -e "$note" ] && [ "$(sum "$target")" = "$(cat "$note")" ]; } || begins "$target" "$writing"; then
        # A newer certificate goes into the same file, because a container's mount follows the file and not its name. Services
        # check every ten seconds and skip incomplete files.
        cp "$source" "$writing.new"
        mv "$writing.new" "$writing"
        cat "$writing" >"$target"
        echo "new    $2"
    else
        echo "kept   $2, which is the operator's own"
        rm -f "$writing"
        return
    fi
    sum "$source" >"$note"
    rm -f "$writing"
}

# Removes a file that this script wrote, $1 below /secrets: the key beside a certificate that is for another key now.
take() {
    note=/secrets/state/given/$(printf %s "$1" | tr / %)
    if [ -e "/secrets/$1" ] && [ -e "$note" ] && [ "$(sum "/secrets/$1")" = "$(cat "$note")" ]; then
        rm -f "/secrets/$1" "$note"
        echo "gone   $1"
    fi
}

# Copy keys before certificates: a service that reads between the two finds a mismatch and reads again.
for name in metadata-proxy verification-server test-result-server submission-server fold distribution push-dispatcher \
    download-server federation health-portal data-donation donation-fold further development-apns development-attestation development-gateway \
    development-identity public; do
    give "certificates/$name.key" "files/$name.key" "$service" 400
    give "certificates/$name.pem" "files/$name.pem" "$service" 444
done
# The edge shows the certificate that apps see; its user can't read the file of the metadata proxy.
give certificates/public.key files/edge.key "$nginx" 400
give certificates/public.pem files/edge.pem "$nginx" 444
# The portal shows it, too, until the authority has one for the portal's own name.
give certificates/public.key files/portal-public.key "$service" 400
give certificates/public.pem files/portal-public.pem "$service" 444
# The gateway sees it, until the authority has one for the callback's own name.
give certificates/federation.key files/federation-callback.key "$service" 400
give certificates/federation.pem files/federation-callback.pem "$service" 444
# The simulated gateway's, until a real one has told its own.
give certificates/ca.pem files/callback-authorities.pem "$service" 444
give certificates/gateway.pem files/callback-gateway.pem "$service" 444
give certificates/gateway-anchor.pem files/federation-anchor.pem "$service" 444
give certificates/gateway.key files/gateway-callback.key "$service" 400
give certificates/gateway.pem files/gateway-callback.pem "$service" 444
give certificates/gateway-anchor.pem files/gateway-anchor.pem "$service" 444
give certificates/federation-gateway.pem files/home-gateway.pem "$service" 444
give certificates/federation-signing.pem files/home-signing.pem "$service" 444
give certificates/postgres.key files/postgres.key "$postgres" 400
give certificates/postgres.pem files/postgres.pem "$postgres" 444
give certificates/prometheus.key files/prometheus.key "$prometheus" 400
give certificates/prometheus.pem files/prometheus.pem "$prometheus" 444
give certificates/ca.pem files/ca.pem "$service" 444
# The operator maintains the file from here on.
[ -e /secrets/files/denied ] || give certificates/denied files/denied "$service" 444

for name in tan-key tele-tan-key tag-key push-token-key apns-key.p8 export-signing.key pgpass-owner pgpass-verification \
    portal-session-key portal-officer-key portal-client.key officer-issuer.key \
    federation-signing.key federation-gateway.key gateway-anchor.key \
    donation-hash-key device-check-key.p8 play-integrity-decryption-key play-integrity-signing.key evidence-root.key \
    pgpass-donation pgpass-donation-fold further-hash-key pgpass-further \
    pgpass-test-results pgpass-submission pgpass-fold pgpass-distribution pgpass-push-dispatcher pgpass-health-portal pgpass-federation; do
    give "secrets/$name" "files/$name" "$service" 400
done
give secrets/pgpass-owner files/postgres-pgpass-owner "$postgres" 400
# What the gateway's operator is given: the certificates of the two keys.
for name in federation-signing federation-gateway; do
    give "certificates/$name.pem" "files/$name.pem" "$service" 444
    give "certificates/$name.pem" "callers/$name.pem" "$operator" 444
done
give config/apns-public.pem files/apns-public.pem "$service" 444
give config/device-check-public.pem files/device-check-public.pem "$service" 444
give config/play-integrity-verification-key files/play-integrity-verification-key "$service" 444
give certificates/evidence-root.pem files/evidence-root.pem "$service" 444
# The same for those who simulate Apple and Google.
give certificates/evidence-root.pem files/vouchers-root.pem "$service" 444
give secrets/play-integrity-decryption-key files/vouchers-decryption-key "$service" 400
give config/officers.jwks.json files/officers.jwks.json "$service" 444
give config/officers.jwks.json files/identity-keys.json "$service" 444
give config/portal-client-public.pem files/portal-client-public.pem "$service" 444

for name in $callers; do
    # The text may be left of a laboratory that was removed.
    [ -e "/secrets/state/certificates/$name.pem" ] || continue
    mkdir -p "/secrets/callers/$name"
    if [ -e "/secrets/state/certificates/$name.key" ]; then
        give "certificates/$name.key" "callers/$name/tls.key" "$operator" 400
    else
        take "callers/$name/tls.key"
    fi
    give "certificates/$name.pem" "callers/$name/tls.pem" "$operator" 444
    give certificates/ca.pem "callers/$name/ca.pem" "$operator" 444
    give "certificates/$name.txt" "callers/$name/README.txt" "$operator" 444
done
give certificates/ca.pem callers/ca.pem "$operator" 444
give config/export-signing-public.pem callers/export-signing-public.pem "$operator" 444
chown "$operator" /secrets/callers /secrets/callers/*/

#!/bin/sh
# Runs in a container of its own, without a network (deploy/secrets.sh): makes what is missing, and gives each file to who may
# read it. In /secrets, which is the operator's folder:
#
#     state/     of `vigil certificates` and `vigil keys secrets`: the authority's key is here, and nothing else of it leaves
#     files/     what docker-compose.yml hands out: each file has one reader, by its owner
#     callers/   for who calls from outside: certificates of laboratories, test centres, portal; what apps are built with
#
# Nothing is made anew but certificates that expire within 30 days.
set -eu
umask 077

# User and group of the services, and of the images of PostgreSQL and Prometheus.
service=10001:10001
postgres=999:999
prometheus=65534:65534
operator=$(stat -c %u:%g /secrets)

# What follows on the command line is a laboratory or a centre that shall have a certificate of its own.
vigil certificates --state /secrets/state "$@" >/dev/null
vigil keys secrets --state /secrets/state >/dev/null
mkdir -p /secrets/state/given /secrets/files
# Laboratories and centres by the names of their certificates, with those that are for trying out.
callers="certificate-server portal"
for file in /secrets/state/certificates/lab*.pem /secrets/state/certificates/quick-test*.pem \
    /secrets/state/certificates/pocnat*.pem; do
    name=${file##*/}
    callers="$callers ${name%.pem}"
done
for name in $callers; do mkdir -p "/secrets/callers/$name"; done

# What a file's content was when this script wrote it last.
sum() { sha256sum <"$1" | cut -d ' ' -f 1; }

# Whether $1 is the beginning of $2, or all of it.
begins() { [ -e "$2" ] && cmp -s -n "$(stat -c %s "$1")" "$1" "$2"; }

# Hands out a file: $1 below the state folder, $2 below /secrets, $3 its owner, $4 its mode.
give() {
    source=/secrets/state/$1 target=/secrets/$2
    note=/secrets/state/given/$(printf %s "$2" | tr / %)
    # What is just being written over the target; it stays behind if that is cut off.
    writing=$note.writing
    if [ ! -e "$target" ]; then
        # Beside its place first: half a secret must never be taken for one.
        cp "$source" "$target.new"
        chmod "$4" "$target.new"
        chown "$3" "$target.new"
        mv "$target.new" "$target"
        echo "made   $2"
    elif [ "$(sum "$target")" = "$(sum "$source")" ]; then
        chmod "$4" "$target"
        chown "$3" "$target"
    elif { [ -e "$note" ] && [ "$(sum "$target")" = "$(cat "$note")" ]; } || begins "$target" "$writing"; then
        # A newer certificate. Into the same file: a container's mount follows the file, not its name. Services look every ten
        # seconds, and pass over what is half written.
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

# Keys before certificates: whoever looks between the two sees that they don't fit, and looks again.
for name in metadata-proxy verification-server test-result-server submission-server fold distribution push-dispatcher \
    development-apns public; do
    give "certificates/$name.key" "files/$name.key" "$service" 400
    give "certificates/$name.pem" "files/$name.pem" "$service" 444
done
give certificates/postgres.key files/postgres.key "$postgres" 400
give certificates/postgres.pem files/postgres.pem "$postgres" 444
give certificates/prometheus.key files/prometheus.key "$prometheus" 400
give certificates/prometheus.pem files/prometheus.pem "$prometheus" 444
give certificates/ca.pem files/ca.pem "$service" 444
# From then on it is the operator's, who adds to it.
[ -e /secrets/files/denied ] || give certificates/denied files/denied "$service" 444

for name in tan-key tele-tan-key tag-key push-token-key apns-key.p8 export-signing.key pgpass-owner pgpass-verification \
    pgpass-test-results pgpass-submission pgpass-fold pgpass-distribution pgpass-push-dispatcher; do
    give "secrets/$name" "files/$name" "$service" 400
done
give secrets/pgpass-owner files/postgres-pgpass-owner "$postgres" 400
give config/apns-public.pem files/apns-public.pem "$service" 444
give config/officers.jwks.json files/officers.jwks.json "$service" 444

for name in $callers; do
    give "certificates/$name.key" "callers/$name/tls.key" "$operator" 400
    give "certificates/$name.pem" "callers/$name/tls.pem" "$operator" 444
done
give certificates/ca.pem callers/ca.pem "$operator" 444
give config/export-signing-public.pem callers/export-signing-public.pem "$operator" 444
chown "$operator" /secrets/callers /secrets/callers/*/

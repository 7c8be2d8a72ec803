#!/usr/bin/env bash
# Puts certificates of a public authority where the containers read them; a hook of certbot and acme.sh.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/certificates-hook.sh [OPTION…] DOOR=NAME[,NAME…] …

Gives one or more doors a certificate of a public authority. NAME is a DNS name or an IP address under which callers reach the
door: the certificate must cover each.

  apps        the metadata proxy, port 8000 (files/public.pem, files/public.key)
  downloads   the edge, port 8040 (files/edge.*)
  portal      the health officers' pages, port 8070 (files/portal-public.*)
  callback    federation, port 8090 (files/federation-callback.*)

The certificate with its chain, and the key, come from

  certbot     as its deploy hook (RENEWED_LINEAGE). certbot remembers it for renewals:
                certbot certonly … -d apps.example.org -d downloads.example.org --deploy-hook \
                  'bash /opt/vigil/deploy/certificates-hook.sh apps=apps.example.org downloads=downloads.example.org'
  acme.sh     as its reload command (CERT_FULLCHAIN_PATH, CERT_KEY_PATH):
                acme.sh --install-cert -d codes.example.org --reloadcmd \
                  'sudo -E bash /opt/vigil/deploy/certificates-hook.sh portal=codes.example.org'
  files       --certificate FILE --key FILE

Nothing is written unless the key fits the certificate, the chain is complete and valid now, and all names are covered. What is
there already isn't written again. Services take new files into use within ten seconds; the script reloads the edge. Run it as root,
after deploy/secrets.sh, whose folder it takes (VIGIL_SECRETS, in the environment or in .env).

  --certificate FILE   the certificate, and after it those of the authorities in between (PEM)
  --key FILE           its private key, without a password (PEM)
  --compose COMMAND    command that runs compose (default: docker compose)
  --help               shows this text
TEXT
}

compose="docker compose"
certificate=
key=
doors=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --certificate) certificate=${2:?--certificate needs a file} && shift ;;
        --key) key=${2:?--key needs a file} && shift ;;
        --compose) compose=${2:?--compose needs a command} && shift ;;
        apps=?* | downloads=?* | portal=?* | callback=?*) doors+=("$1") ;;
        *) fail "certificates-hook.sh takes no argument $1; see --help." ;;
    esac
    shift
done
[ ${#doors[@]} -gt 0 ] || fail "No door is named, such as apps=apps.example.org; see --help."
if [ -z "$certificate$key" ]; then
    if [ -n "${RENEWED_LINEAGE:-}" ]; then
        certificate=$RENEWED_LINEAGE/fullchain.pem key=$RENEWED_LINEAGE/privkey.pem
    else
        certificate=${CERT_FULLCHAIN_PATH:-} key=${CERT_KEY_PATH:-}
    fi
fi
if [ -z "$certificate" ] || [ -z "$key" ]; then
    fail "No certificate is given: run this as a hook of certbot or acme.sh, or with --certificate and --key; see --help."
fi
for file in "$certificate" "$key"; do [ -r "$file" ] || fail "$file can't be read: check the path, and run this as root."; done
# Where compose looks for its files, and relative paths of VIGIL_SECRETS begin.
certificate=$(realpath "$certificate") key=$(realpath "$key")
cd "$checkout"
folder=$(secrets_folder)

# MARK: Checks

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
umask 077
# The same form, whatever a client writes.
openssl pkey -in "$key" -passin pass: -out "$scratch/key" 2>/dev/null ||
    fail "$key is no private key in PEM without a password."
openssl x509 -in "$certificate" -noout 2>/dev/null || fail "$certificate is no certificate in PEM."
[ "$(openssl x509 -in "$certificate" -noout -pubkey)" = "$(openssl pkey -in "$scratch/key" -pubout)" ] ||
    fail "$key isn't the key of $certificate: name a pair that was issued together."
awk '/-----BEGIN CERTIFICATE-----/ { count++ } count > 1' "$certificate" >"$scratch/others"
[ -s "$scratch/others" ] ||
    fail "$certificate has one certificate only, which most callers refuse: name the file with the whole chain (fullchain)."
# The chain needn't end at an authority that this machine trusts: phones and browsers have lists of their own.
openssl verify -no-CAfile -no-CApath -no-CAstore -partial_chain -purpose sslserver -trusted "$scratch/others" "$certificate" \
    >"$scratch/verdict" 2>&1 ||
    fail "$certificate isn't a chain for a server that is valid now: $(sed -n 's/^error [0-9]* at [0-9]* depth lookup: //p' "$scratch/verdict" | head -n 1)."
for door in "${doors[@]}"; do
    IFS=, read -ra names <<<"${door#*=}"
    for name in "${names[@]}"; do
        check=-checkhost
        [[ $name =~ ^[0-9.]+$ || $name == *:* ]] && check=-checkip
        # The status says nothing before OpenSSL 3.2.
        openssl x509 -in "$certificate" -noout "$check" "$name" | grep 'does match certificate$' >/dev/null ||
            fail "The certificate doesn't cover $name, which callers of ${door%%=*} use. It has: $(
                openssl x509 -in "$certificate" -noout -ext subjectAltName | tail -n +2 | xargs)."
    done
done

# MARK: Writing

# The files' base name of a door.
file_of() {
    case $1 in
        apps) printf %s "$folder/files/public" ;;
        downloads) printf %s "$folder/files/edge" ;;
        portal) printf %s "$folder/files/portal-public" ;;
        callback) printf %s "$folder/files/federation-callback" ;;
    esac
}

for door in "${doors[@]}"; do
    for kind in key pem; do
        target=$(file_of "${door%%=*}").$kind
        [ -e "$target" ] || fail "$target is missing: run bash deploy/secrets.sh once, which makes files that containers mount."
        [ -w "$target" ] || fail "$target can't be written: run this as root."
    done
done

# Writes into the existing file: a container's mount follows the file, not its name, and owner and mode stay. A copy beside it shows
# first that the disk has space. $1: the source; $2: the target.
put() {
    ! cmp -s "$1" "$2" || return 0
    if ! { cat "$1" >"$2.new" && cat "$1" >"$2"; }; then
        rm -f "$2.new"
        fail "$2 can't be written: make room on the disk, and run this again."
    fi
    rm "$2.new"
}

reload=
for door in "${doors[@]}"; do
    name=${door%%=*}
    target=$(file_of "$name")
    said=kept
    if ! cmp -s "$scratch/key" "$target.key" || ! cmp -s "$certificate" "$target.pem"; then said=new; fi
    # Keys before certificates: a service that reads between the two finds a mismatch and reads again.
    put "$scratch/key" "$target.key"
    put "$certificate" "$target.pem"
    say "$said   $target.pem, valid until $(openssl x509 -in "$certificate" -noout -enddate | cut -d = -f 2)"
    [ "$name" != downloads ] || reload=yes
done

# nginx reads certificates only on request. Whether the files are new or not: the last attempt may have failed here.
if [ -n "$reload" ]; then
    command -v "${compose%% *}" >/dev/null || fail "${compose%% *} is not on the PATH, so the edge was not reloaded."
    # The command is split into words on purpose.
    # shellcheck disable=SC2086
    if $compose ps --services --status running | grep -x edge >/dev/null; then
        $compose exec -T edge nginx -e stderr -c /etc/vigil/nginx.conf -s reload ||
            fail "The edge was not reloaded: docker compose restart edge"
    fi
fi

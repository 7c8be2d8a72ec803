#!/usr/bin/env bash
# Stands in for `docker compose` in Tests/Live/certificates.sh: the container `secrets` is a process whose folder isn't /secrets, and
# the container `edge` is an nginx. $VIGIL_STAGE is that folder; $VIGIL_PROGRAMS has the program vigil, $VIGIL_NGINX is nginx.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd -P)
case "$*" in
    'run --rm --no-deps -T secrets'*)
        shift 5
        sed "s#/secrets/#$VIGIL_STAGE/#g; s#c %u:%g /secrets)#c %u:%g $VIGIL_STAGE)#" "$checkout/deploy/secrets/prepare.sh" >"$VIGIL_STAGE/prepare.sh"
        PATH="$VIGIL_PROGRAMS:/usr/bin:/bin" exec /bin/sh "$VIGIL_STAGE/prepare.sh" "$@"
        ;;
    'ps --services --status running') echo edge ;;
    'exec -T edge nginx -e stderr -c /etc/vigil/nginx.conf -s reload')
        echo reloaded >>"$VIGIL_STAGE/reloads"
        exec "$VIGIL_NGINX" -e stderr -c "$VIGIL_STAGE/nginx.conf" -s reload 2>>"$VIGIL_STAGE/nginx.log"
        ;;
    *)
        echo "There is no such command here: $*" >&2
        exit 1
        ;;
esac

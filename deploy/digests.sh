#!/usr/bin/env bash
# Pins the public images of docker-compose.yml and deploy/Dockerfile to their current digests, in `.env`.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/digests.sh [--inspect COMMAND]

Pins the public images: asks the registries for the digest of each image that docker-compose.yml and deploy/Dockerfile name by a
tag, and writes it to `.env` beside docker-compose.yml, as `VIGIL_IMAGE_NAME=image:tag@sha256:…`. A tag that moves later no longer
has an effect. To update the images, keep a copy of `.env` for a rollback, run this script again, and test the result.

  --inspect COMMAND   command that prints an image's digest
                      (default: docker buildx imagetools inspect --format {{.Manifest.Digest}})
  --help              shows this text
TEXT
}

inspect="docker buildx imagetools inspect --format {{.Manifest.Digest}}"
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --inspect) inspect=${2:?--inspect needs a command} && shift ;;
        *) fail "digests.sh has no option $1; see --help." ;;
    esac
    shift
done

cd "$checkout"
lines=()
while read -r name image; do
    # The files of the database belong to the version that deploy/postgres/upgrade.sh has chosen.
    [ "$name" != VIGIL_IMAGE_POSTGRES ] || [ -z "$(setting VIGIL_DATABASE)" ] || image=$(setting VIGIL_IMAGE_POSTGRES | cut -d @ -f 1)
    # Splits into a command and its options.
    # shellcheck disable=SC2086
    digest=$($inspect "$image") || fail "The digest of $image can't be read: see above."
    [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || fail "For $image there came no digest, but: $digest"
    lines+=("$name=$image@$digest")
done < <(sed -nE -e 's/.*\$\{(VIGIL_IMAGE_[A-Z]+):-([^}]+)\}.*/\1 \2/p' -e 's/^ARG (VIGIL_IMAGE_[A-Z]+)=(.+)$/\1 \2/p' \
    "$checkout/docker-compose.yml" "$checkout/deploy/Dockerfile")
[ ${#lines[@]} -gt 0 ] || fail "docker-compose.yml and deploy/Dockerfile name no image."

printf '%s\n' "${lines[@]}"
write_settings 'VIGIL_IMAGE_[A-Z]+' "${lines[@]}"

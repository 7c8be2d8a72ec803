#!/usr/bin/env bash
# Labels the suite's images with the libraries in them.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
. "$checkout/deploy/machine.sh"

usage() {
    cat <<'TEXT'
bash deploy/labels.sh [IMAGE…]

Run it after `docker compose build`. It asks the program in each image of the suite (or in the images given) for its versions, and
gives the image the label org.vigil.libraries, such as

  OpenSSL 3.0.22 (libssl3 3.0.22-1~deb12u2),nghttp2 1.52.0 (libnghttp2-14 1.52.0-1+deb12u3)

so that a registry or `docker inspect` shows what is in it. Nothing else of the image changes.

  --help   shows this text
TEXT
}

case ${1:-} in
    -h | --help)
        usage
        exit 0
        ;;
esac
images=("$@")
[ ${#images[@]} -gt 0 ] ||
    mapfile -t images < <(docker image ls --format '{{.Repository}}:{{.Tag}}' | grep -E '^vigil(-[a-z-]+)?:latest$')
[ ${#images[@]} -gt 0 ] || fail "There is no image yet: run docker compose build."
for image in "${images[@]}"; do
    program=$(docker image inspect --format '{{index (or .Config.Entrypoint .Config.Cmd) 0}}' "$image")
    versions=$(docker run --rm --network none --read-only --entrypoint "$program" "$image" --version) ||
        fail "$image doesn't tell its versions: see above."
    libraries=$(tail -n +2 <<<"$versions" | paste -s -d ,)
    printf 'FROM %s\nLABEL org.vigil.libraries="%s"\n' "$image" "$libraries" |
        DOCKER_BUILDKIT=1 docker build --quiet --tag "$image" - >/dev/null || fail "$image can't be labelled: see above."
    say "$image: $libraries"
done

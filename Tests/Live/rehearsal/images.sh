# The images of the rehearsal: stand-ins for those that can't be pulled, and the suite's own. Sourced by rehearsal.sh, not run.

# The Debian that all stand-ins are made of.
make_debian() {
    [ ! -e "$cache/debian/complete" ] || return 0
    say "Making a Debian …"
    rm -rf "$cache/debian"
    # From where this machine has its packages.
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
    debootstrap --variant=minbase bookworm "$cache/debian" ${mirror:+"$mirror"} >"$cache/debootstrap.log" 2>&1 ||
        fail "debootstrap failed: $(tail -n 3 "$cache/debootstrap.log")"
    rm -rf "$cache/debian"/etc/apt/sources.list "$cache/debian/etc/apt/sources.list.d" "$cache/debian/etc/apt/apt.conf.d"
    cp -a /etc/apt/sources.list* /etc/apt/apt.conf.d "$cache/debian/etc/apt/"
    cp -a /usr/share/keyrings/. "$cache/debian/usr/share/keyrings/"
    cp /etc/resolv.conf "$cache/debian/etc/"
    # As in Debian's slim images, without documentation and what apt keeps.
    printf 'path-exclude %s\n' '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/info/*' '/usr/share/locale/*' \
        >"$cache/debian/etc/dpkg/dpkg.cfg.d/slim"
    rm -rf "$cache/debian"/usr/share/{doc,man,info,locale}/* "$cache/debian"/var/cache/apt/* "$cache/debian"/var/lib/apt/lists/* \
        "$cache/debian"/var/log/*.log
    # Packages must start nothing.
    printf '#!/bin/sh\nexit 101\n' >"$cache/debian/usr/sbin/policy-rc.d"
    chmod +x "$cache/debian/usr/sbin/policy-rc.d"
    : >"$cache/debian/complete"
}

path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
import_debian() {
    ! docker image inspect debian:bookworm-slim >/dev/null 2>&1 || return 0
    make_debian
    tar -c -C "$cache/debian" . | docker import --change "ENV PATH=$path" --change 'CMD ["bash"]' - debian:bookworm-slim >/dev/null ||
        fail "The Debian can't be imported."
}

toolchain=$(readlink -f "$(command -v swift)")
toolchain=${toolchain%/usr/bin/*}

# Runs a build of an image and keeps what it says. $1: the image; then the arguments of `docker build`.
build_image() {
    local log="$cache/build-${1//[^a-z0-9]/-}.log"
    docker build --quiet --network host --tag "$@" >"$log" 2>&1 || fail "The image $1 can't be built: $(tail -n 5 "$log")"
}

# Runs a function for each word, as many at a time as there are processors: most of them wait for packages. $1: the function.
each() {
    local call=$1 word running=() failed=
    shift
    for word; do
        "$call" "$word" &
        running+=($!)
        if [ ${#running[@]} -gt "$(nproc)" ]; then
            wait "${running[0]}" || failed=yes
            running=("${running[@]:1}")
        fi
    done
    for word in ${running[@]+"${running[@]}"}; do wait "$word" || failed=yes; done
    [ -z "$failed" ] || fail "FAILED: see above which image couldn't be built."
}

# The image that a variable of docker-compose.yml or deploy/Dockerfile names by default. $1: the variable's last part.
public_image() {
    sed -n -E "s/.*VIGIL_IMAGE_$1(:-|=)([a-z/]+:[a-z0-9.-]+).*/\\2/p" docker-compose.yml deploy/Dockerfile | head -n 1
}

# Makes stand-ins. What hasn't changed since an earlier rehearsal is in the engine's cache. Arguments: targets of stand-ins/Dockerfile.
make_stand_ins() {
    local context="$cache/stand-ins"
    say "Making stand-ins for public images …"
    import_debian
    rm -rf "$context"
    mkdir -p "$context/swift"
    cp Tests/Live/rehearsal/stand-ins/* "$context/"
    cp -a "$postgres_17" "$context/postgres"
    find "$toolchain/usr/lib/swift/linux" -maxdepth 1 -name '*.so' -exec cp -a -t "$context/swift" {} +
    make_stand_in() {
        local name context="$cache/stand-ins"
        case $1 in
            haproxy | linker) name="vigil-rehearsal-$1" ;;
            postgres18) name=postgres:18-bookworm ;;
            *) name=$(public_image "${1^^}") ;;
        esac
        [ "$1" != swift ] || context=$toolchain
        build_image "$name" --build-arg "TOOLCHAIN=$toolchain" --file "$cache/stand-ins/Dockerfile" --target "$1" "$context"
        say "stand-in for: $name"
    }
    each make_stand_in "$@"
}

# Builds images of the suite. $1: the folder with the sources; $2: the tag; then the targets. With VIGIL_BUILT the programs are those
# of the build for release in that folder.
build_images() {
    local folder=$1 tag=$2 context=$1 file="$1/deploy/Dockerfile" options=(--build-arg "JOBS=$jobs")
    shift 2
    if [ -n "${VIGIL_BUILT:-}" ]; then
        context="$cache/built" file="$cache/built/Dockerfile"
        rm -rf "$context"
        mkdir -p "$context/programs"
        find "$folder/.build/release/" -maxdepth 1 -type f -perm -u+x -exec cp -t "$context/programs" {} +
        # In place of the steps that install what a build needs, and that build the programs.
        sed -e '/^FROM .* AS build$/,/^RUN --mount=type=bind/ { /^FROM /!{ /^RUN --mount/!d } }' \
            -e '/^RUN --mount=type=bind/,/ cp -t .programs /c COPY programs /programs' "$folder/deploy/Dockerfile" >"$file"
        options+=(--build-arg VIGIL_IMAGE_SWIFT=vigil-rehearsal-linker)
    fi
    say "Building $# images …"
    build_target() {
        build_image "$(image "$1"):$tag" "${options[@]}" --file "$file" --target "$1" "$context"
        say "built: $(image "$1"):$tag"
    }
    # The stages that all share, once.
    build_target "$1"
    each build_target "${@:2}"
    docker image prune --force >/dev/null
}

# The name of a target's image.
image() {
    case $1 in
        vigil | vigil-*) printf '%s\n' "$1" ;;
        *) printf 'vigil-%s\n' "$1" ;;
    esac
}

# What an image promises without its neighbours: it isn't root's, its program starts on a read-only root file system without a network,
# says that nothing is ready, and names its libraries; and so does its label.
try_image() {
    local name program user words
    name=$(image "$1")
    try() { docker run --rm --network none --read-only --cap-drop ALL --entrypoint "$1" "$name" "${@:2}"; }
    user=$(docker inspect --format '{{.Config.User}}' "$name")
    [ "$user" = 10001:10001 ] || object "$name runs as $user."
    try "$1" --help >/dev/null || object "$name doesn't show its help."
    words=$(try "$1" --version) || object "$name doesn't say its versions."
    [ "$(docker inspect --format '{{index .Config.Labels "org.vigil.libraries"}}' "$name")" = \
        "$(tail -n +2 <<<"$words" | paste -s -d ,)" ] || object "The label of $name isn't what its program says."
    case $1 in
        vigil | vigil-dev) ;;
        *) ! try "$1" ready >/dev/null 2>&1 || object "$name is ready, with nothing around it." ;;
    esac
    say "tried: $(paste -s -d ' ' <<<"$words")"
}

# Tries each image, and counts them together. The arguments are targets.
try_images() {
    local target names=()
    for target; do names+=("$(image "$target"):latest"); done
    bash deploy/labels.sh "${names[@]}"
    for target; do try_image "$target"; done
    # An archive has each layer once.
    say "$# images have $(($(docker save "${names[@]}" | wc -c) / 1000000)) MB, with the layers that they share."
    conclude
}

# Whatever images this kind of rehearsal needs.
make_images() {
    local public=(postgres nginx prometheus)
    [ "$kind" != images ] || public=()
    [ "$kind" != whole ] || public+=(haproxy postgres18)
    make_stand_ins "$([ -n "${VIGIL_BUILT:-}" ] && echo linker || echo swift)" ${public[@]+"${public[@]}"}
    if [ "$kind" = whole ]; then
        newer_build "$cache/newer"
        build_images "$cache/newer" newer "${images[@]}"
    fi
    [ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(printf '%s\n' vigil-dev "${images[@]}" | sort -u)
    build_images . latest "${targets[@]}"
    # What was used last stays for the next rehearsal.
    docker builder prune --force --keep-storage 10GB >/dev/null
    [ "$kind" = short ] || try_images "${targets[@]}"
}

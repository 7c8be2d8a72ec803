# The images of the rehearsal: stand-ins for those that can't be pulled, and the suite's own. Sourced by rehearsal.sh, not run.

# A Debian with a few packages, as an image of a public name. $1: the image; $2: a command in it after the packages are there, or
# `true`; then changes of its configuration up to `--`, and the packages. $with: a folder of this machine that it has, too.
stand_in() {
    local image=$1 command=$2 changes=() root="$cache/root"
    shift 2
    while [ "$1" != -- ]; do changes+=(--change "$1") && shift; done
    shift
    ! $engine image inspect "$image" >/dev/null 2>&1 || return 0
    say "Making a stand-in for $image …"
    # This machine's folder for temporary files isn't there.
    local TMPDIR=/tmp
    rm -rf "$root"
    cp -a "$cache/debian" "$root"
    if [ $# -gt 0 ]; then
        chroot "$root" apt-get update -qq >/dev/null
        chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
            >"$cache/apt.log" 2>&1 || fail "apt-get could not install $*: $(tail -n 3 "$cache/apt.log")"
    fi
    cp "$checkout/Tests/Live/rehearsal/postgres-entrypoint.sh" "$root/usr/local/bin/"
    chroot "$root" /bin/sh -ec "$command"
    rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*
    tar -c -C "$root" . ${with:+-C / "${with#/}"} | $engine import ${changes[@]+"${changes[@]}"} - "$image" >"$cache/import.log" 2>&1 ||
        fail "$image can't be imported: $(tail -n 3 "$cache/import.log")"
    rm -rf "$root"
}

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
    rm -rf "$cache/debian"/usr/share/{doc,man,info,locale}/* "$cache/debian"/var/cache/apt/* "$cache/debian"/var/log/*.log
    # Packages must start nothing.
    printf '#!/bin/sh\nexit 101\n' >"$cache/debian/usr/sbin/policy-rc.d"
    chmod +x "$cache/debian/usr/sbin/policy-rc.d"
    : >"$cache/debian/complete"
}

toolchain=$(readlink -f "$(command -v swift)")
toolchain=${toolchain%/usr/bin/*}

path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Those that deploy/Dockerfile names.
make_build_stand_ins() {
    stand_in docker.io/library/debian:bookworm-slim true "ENV PATH=$path" 'CMD ["bash"]' --
    with=$toolchain stand_in docker.io/library/swift:6.3-bookworm true "ENV PATH=$toolchain/usr/bin:$path" -- \
        binutils ca-certificates git gcc libc6-dev libstdc++-12-dev libcurl4 libxml2 libsqlite3-0 libncurses6 libedit2 tzdata \
        pkg-config
}

# Those that docker-compose.yml names, and a balancer.
make_stand_ins() {
    stand_in docker.io/library/postgres:17-bookworm \
        'usermod -u 999 postgres && groupmod -g 999 postgres
         install -d -o 999 -g 999 -m 1777 /var/lib/postgresql/data
         install -d -o 999 -g 999 -m 3777 /var/run/postgresql
         sed -i "s/^#listen_addresses = .localhost./listen_addresses = \x27*\x27/" /usr/share/postgresql/*/postgresql.conf.sample
         grep -q "^listen_addresses = .\*." /usr/share/postgresql/*/postgresql.conf.sample
         for program in initdb pg_ctl postgres; do ln -s /usr/lib/postgresql/*/bin/$program /usr/local/bin/; done
         chmod 755 /usr/local/bin/postgres-entrypoint.sh' \
        "ENV PATH=$path" 'ENV PGDATA=/var/lib/postgresql/data' 'VOLUME /var/lib/postgresql/data' \
        'ENTRYPOINT ["postgres-entrypoint.sh"]' 'CMD ["postgres"]' -- postgresql
    stand_in docker.io/library/nginx:1.30-trixie true "ENV PATH=$path" -- nginx-light curl
    stand_in docker.io/prom/prometheus:v3.13.2 'install -d -o 65534 -g 65534 /prometheus' "ENV PATH=$path" \
        'ENTRYPOINT ["/usr/bin/prometheus"]' -- prometheus
    # Not of the suite: a balancer as an operator may have it.
    stand_in docker.io/library/haproxy:2.6-bookworm true "ENV PATH=$path" -- haproxy
}

# Builds images of the suite. $1: the folder with the sources; $2: the tag; then the targets. With VIGIL_BUILT the programs are those
# of this machine's build for release.
build_images() {
    local context=$1 tag=$2 file="$1/deploy/Dockerfile" target name number=0 options=(--network host --build-arg "JOBS=$jobs")
    shift 2
    if [ -n "${VIGIL_BUILT:-}" ]; then
        context="$cache/built" file="$cache/built/Dockerfile"
        rm -rf "$context"
        mkdir -p "$context/programs"
        find .build/release/ -maxdepth 1 -type f -perm -u+x -exec cp -t "$context/programs" {} +
        # In place of the step that builds them.
        sed -e '/^RUN --mount=type=bind/,/ cp -t .programs /c COPY programs /programs' deploy/Dockerfile >"$file"
    fi
    [ "$engine" != podman ] || options+=(--isolation=chroot --pull-never --layers)
    for target; do
        number=$((number + 1))
        name=$(image "$target")
        say "Building image $number of $#: $name:$tag …"
        DOCKER_BUILDKIT=1 $engine build --quiet "${options[@]}" --file "$file" --target "$target" --tag "$name:$tag" "$context" \
            >"$cache/build.log" 2>&1 || fail "The image $name:$tag can't be built: $(tail -n 5 "$cache/build.log")"
    done
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
    try() { $engine run --rm --network none --read-only --cap-drop ALL --entrypoint "$1" "$name" "${@:2}"; }
    user=$($engine inspect --format '{{.Config.User}}' "$name")
    [ "$user" = 10001:10001 ] || object "$name runs as $user."
    try "$1" --help >/dev/null || object "$name doesn't show its help."
    words=$(try "$1" --version) || object "$name doesn't say its versions."
    [ "$($engine inspect --format '{{index .Config.Labels "org.vigil.libraries"}}' "$name")" = \
        "$(tail -n +2 <<<"$words" | paste -s -d ,)" ] || object "The label of $name isn't what its program says."
    case $1 in
        vigil | vigil-dev) ;;
        *) ! try "$1" ready >/dev/null 2>&1 || object "$name is ready, with nothing around it." ;;
    esac
    say "tried: $(paste -s -d ' ' <<<"$words")"
}

# Builds images, tries each, and counts them together. The arguments are targets.
rehearse_images() {
    local target names=()
    build_images . latest "$@"
    for target; do names+=("$(image "$target"):latest"); done
    bash deploy/labels.sh "$engine" "${names[@]}"
    for target; do try_image "$target"; done
    # An archive has each layer once.
    [ "$engine" != docker ] || say "$# images have $(($(docker save "${names[@]}" | wc -c) / 1000000)) MB, with the layers that they share."
    [ ${#objections[@]} = 0 ] || fail "FAILED: ${#objections[@]} objections, above."
}

# The images of the rehearsal: stand-ins for those that can't be pulled, and the suite's own. Sourced by rehearsal.sh, not run.

# A Debian with a few packages, as an image of a public name. $1: the image; $2: a command in it after the packages are there, or
# `true`; then `NAME=…` changes of podman import up to `--`, and the packages.
stand_in() {
    local image=$1 command=$2 changes=() root="$cache/root"
    shift 2
    while [ "$1" != -- ]; do changes+=(--change "$1") && shift; done
    shift
    ! podman image exists "$image" || return 0
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
    rm -rf "$root"/var/lib/apt/lists/*
    tar -C "$root" -c . | podman import --quiet ${changes[@]+"${changes[@]}"} - "$image" >/dev/null
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
    # Packages must start nothing.
    printf '#!/bin/sh\nexit 101\n' >"$cache/debian/usr/sbin/policy-rc.d"
    chmod +x "$cache/debian/usr/sbin/policy-rc.d"
    : >"$cache/debian/complete"
}

# The toolchain itself is mounted where the stand-in of Swift's image is used.
toolchain=$(readlink -f "$(command -v swift)")
toolchain=${toolchain%/usr/bin/*}

make_stand_ins() {
    local path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    make_debian
    stand_in docker.io/library/debian:bookworm-slim true "ENV PATH=$path" 'CMD ["bash"]' --
    stand_in docker.io/library/swift:6.3-bookworm true "ENV PATH=$toolchain/usr/bin:$path" -- \
        binutils ca-certificates git gcc libc6-dev libstdc++-12-dev libcurl4 libxml2 libsqlite3-0 libncurses6 libedit2 tzdata \
        pkg-config
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

# Builds the suite's images. $1: the folder with the sources; $2: the tag.
build_images() {
    local target name number=0
    # The checkouts of dependencies, so that the build doesn't fetch them again.
    if [ ! -e "$cache/build/workspace-state.json" ] && [ -e .build/workspace-state.json ]; then
        cp -a .build/repositories .build/checkouts .build/workspace-state.json "$cache/build/"
        # They know each other by their paths.
        sed -i "s|$checkout/\.build|/vigil/.build|" "$cache/build/checkouts"/*/.git/config \
            "$cache/build/checkouts"/*/.git/objects/info/alternates
    fi
    for target in vigil-dev "${images[@]}"; do
        number=$((number + 1))
        name=vigil-${target#vigil-}
        [ "$target" != vigil ] || name=vigil
        say "Building image $number of $((${#images[@]} + 1)): $name:$2 …"
        podman build --quiet --isolation=chroot --pull-never --layers --volume "$toolchain:$toolchain:ro" \
            --volume "$cache/build:/vigil/.build" --build-arg "JOBS=$jobs" --file "$1/deploy/Dockerfile" \
            --target "$target" --tag "$name:$2" "$1" >"$cache/build.log" 2>&1 ||
            fail "The image $name:$2 can't be built: $(tail -n 5 "$cache/build.log")"
    done
}

# What the scripts here need of the machine. Sourced, not run.

# Says what is happening, on one line.
say() { printf '%s\n' "$*"; }

# One sentence, and the end.
fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Debian packages that are needed to build and run; all but the first line come with most systems.
packages=(
    postgresql libpq-dev libzip-dev zlib1g-dev libp11-kit-dev libnghttp2-dev pkg-config
    binutils ca-certificates git libc6-dev libstdc++-12-dev libcurl4 libxml2 libsqlite3-0 libncurses6 tzdata
)

# Installs what is lacking, quietly; does nothing if nothing is.
install_packages() {
    local lacking=() package
    command -v dpkg-query >/dev/null || {
        say "This is not Debian; make sure that these packages, or what they are called here, are installed: ${packages[*]}"
        return
    }
    for package in "${packages[@]}"; do
        is_installed "$package" || lacking+=("$package")
    done
    [ ${#lacking[@]} -gt 0 ] || return 0
    say "Installing ${lacking[*]} …"
    update_package_lists
    # Debian makes and starts a cluster whenever a server is installed. The suite has its own, so that one is not made.
    local drop_in=/etc/postgresql-common/createcluster.d/vigil.conf made_drop_in=
    if ! is_installed postgresql-common; then
        "${root[@]}" mkdir -p "${drop_in%/*}"
        say "create_main_cluster = false" | "${root[@]}" tee "$drop_in" >/dev/null
        made_drop_in=yes
    fi
    local status=0 words
    words=$("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${lacking[@]}" 2>&1) || status=$?
    # Later installations are none of our business.
    [ -z "$made_drop_in" ] || "${root[@]}" rm -f "$drop_in"
    [ "$status" = 0 ] || fail "apt-get could not install ${lacking[*]}: $(tail -n 3 <<<"$words")"
}

# Updates the package lists. Afterwards `root` holds the command that runs others as root, if one is needed.
root=()
update_package_lists() {
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null ||
            fail "Packages are missing and there is no sudo: install ${lacking[*]:-them} as root."
        root=(sudo)
    fi
    "${root[@]}" apt-get update -qq >/dev/null || fail "apt-get update failed: check the network and the package sources."
}

is_installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed'
}

# How programs are built that are measured, or attacked: as in the images, with the standard library inside. One way for all
# scripts, because another one builds everything again.
release=(-c release --static-swift-stdlib --explicit-target-dependency-import-check error)

# Everything but room: a Swift toolchain of version 6.3 or newer, and the system packages, which it needs to run at all.
prepare_machine() {
    command -v swift >/dev/null ||
        fail "There is no Swift toolchain on the PATH: install Swift 6.3 or newer (https://www.swift.org/install/linux)."
    install_packages
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || fail "swift --version says nothing: the toolchain on the PATH does not work here."
    [ "$(printf '%s\n6.3\n' "$version" | sort -V | head -n 1)" = 6.3 ] ||
        fail "Swift $version is too old: install Swift 6.3 or newer (https://www.swift.org/install/linux)."
}

# nginx of the system, or else Debian's package unpacked beside it: an installed nginx starts to listen by itself.
nginx=/usr/sbin/nginx
prepare_nginx() {
    [ -x "$nginx" ] || unpack_package nginx
    [ -x "$nginx" ] || nginx="$unpacked$nginx"
}

# The same for promtool, which is in the package of Prometheus.
promtool=/usr/bin/promtool
prepare_promtool() {
    [ -x "$promtool" ] || unpack_package prometheus
    [ -x "$promtool" ] || promtool="$unpacked$promtool"
}

# Unpacks one of Debian's packages, without what it needs, below $XDG_CACHE_HOME (~/.cache): $unpacked is the folder.
# $1: the package.
unpacked=
unpack_package() {
    local words
    unpacked="${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/vigil/$1"
    [ ! -d "$unpacked/usr" ] || return 0
    say "Unpacking $1 …"
    rm -rf "$unpacked.new"
    mkdir -p "$unpacked.new" "${unpacked%/*}"
    # A fresh machine has no package lists yet.
    words=$(cd "$unpacked.new" && { apt-get download "$1" 2>&1 || { update_package_lists 2>&1 && apt-get download "$1" 2>&1; }; } &&
        dpkg-deb --extract "$1"_*.deb . 2>&1 && rm "$1"_*.deb) ||
        fail "Debian's package $1 can't be downloaded: $(tail -n 1 <<<"$words")"
    rm -rf "$unpacked"
    mv "$unpacked.new" "$unpacked"
}

# A Python with what requirements files name, made on first use below $XDG_CACHE_HOME (~/.cache): its path is in $python.
# Each package has one version, and each of its files a hash that pip demands. What has no wheel is built with what is installed
# by then, since pip asks no hash of tools that it fetches for that. pip-compile (pip-tools) makes each file from the one beside
# it that ends with `.in`, by the command that it begins with; with `--upgrade` it takes the newest versions.
# $1: names the environment; then the requirements files, in the order in which they are installed.
python=
prepare_python() {
    # Other requirements are another environment.
    local environment requirements
    environment="${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/vigil/$1-$(cat "${@:2}" | cksum | cut -d ' ' -f 1)"
    python="$environment/bin/python"
    [ ! -e "$environment/complete" ] || return 0
    say "Installing Python packages for $1 …"
    # Debian's Python, whose module `venv` is one of the packages, not one that comes first on the PATH.
    local base=/usr/bin/python3
    [ -x "$base" ] || base=python3
    rm -rf "$environment"
    "$base" -m venv "$environment" || fail "Python can make no virtual environment in $environment."
    for requirements in "${@:2}"; do
        "$environment/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-build-isolation \
            --requirement "$requirements" ||
            fail "pip could not install $requirements: see what it says above."
    done
    : >"$environment/complete"
}

# Room for the build, less what is there already.
# $1: the checkout; $2: MiB that a complete build takes.
check_disk() {
    local free built=0
    free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
    [ ! -d "$1/.build" ] || built=$(du -sm "$1/.build" | cut -f 1)
    [ $((free + built)) -ge "$2" ] ||
        fail "The disk has $free MiB free below $1, but the build needs $(($2 - built)) MiB more: make room."
}

# MARK: A throw-away PostgreSQL

# Where its folder is made. A short path: a socket's may have 107 bytes.
scratch_place=/tmp
# Its folder, socket and logs, its process, and the folder of its programs; set by start_postgres.
scratch=
server=
postgres_programs=

# Ends the server, if one was started, and removes what it left. For the exit trap.
stop_postgres() {
    trap - EXIT INT TERM HUP
    if [ -n "$server" ]; then
        # Fast, not smart: a test that failed may have left connections.
        kill -INT "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    [ -z "$scratch" ] || rm -rf "$scratch"
}

# PostgreSQL refuses to run as root. `setpriv` ends the server if this script is killed.
as_postgres() {
    if [ "$(id -u)" = 0 ]; then
        exec setpriv --reuid=postgres --regid=postgres --clear-groups --pdeathsig INT "$@"
    else
        exec setpriv --pdeathsig INT "$@"
    fi
}

# Starts a server that listens on a Unix socket in a private temporary folder only.
# Arguments: a command that starts it and `--`, if wanted; then options of `postgres`.
start_postgres() {
    local prefix=() attempt
    if [[ " $* " == *" -- "* ]]; then
        while [ "$1" != -- ]; do prefix+=("$1") && shift; done
        shift
    fi
    postgres_programs=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
    [ -x "$postgres_programs/initdb" ] || fail "PostgreSQL's server is not installed: run apt-get install postgresql."
    scratch=$(mktemp -d "$scratch_place/vigil-scratch.XXXXXX")
    [ "$(id -u)" != 0 ] || chown postgres: "$scratch"
    say "Starting a throw-away PostgreSQL …"
    # Whoever may enter the folder may be anybody in the database: it is private, and gone at the end.
    (cd "$scratch" && as_postgres "$postgres_programs/initdb" --pgdata="$scratch/data" --username=postgres \
        --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync >"$scratch/initdb.log" 2>&1) ||
        fail "initdb failed: $(tail -n 1 "$scratch/initdb.log")"
    (cd "$scratch" && as_postgres "${prefix[@]}" "$postgres_programs/postgres" -D "$scratch/data" \
        -c listen_addresses= -c unix_socket_directories="$scratch" -c max_connections=200 "$@" \
        >"$scratch/postgres.log" 2>&1) &
    server=$!
    for attempt in $(seq 300); do
        "$postgres_programs/pg_isready" -q -h "$scratch" -U postgres && return
        kill -0 "$server" 2>/dev/null || fail "PostgreSQL does not start: $(tail -n 1 "$scratch/postgres.log")"
        sleep 0.1
    done
    fail "PostgreSQL was not ready within 30 seconds: $(tail -n 1 "$scratch/postgres.log")"
}

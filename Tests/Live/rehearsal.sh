#!/usr/bin/env bash
# Rehearses docker-compose.yml on a Docker engine of its own, with stand-ins for the public images.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/Live/suite.sh"

cache="${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/vigil/rehearsal"
# The name that docker-compose.yml has.
project=vigil
# What the files say; see compose.py.
compose_files=(docker-compose.yml)
describe() {
    (cd "$checkout" && sed -s '1i---' "${compose_files[@]}") | /usr/bin/python3 "$checkout/Tests/Live/rehearsal/compose.py" "$@"
}
objections=()
object() { objections+=("$*") && say "OBJECTION: $*"; }
conclude() { [ ${#objections[@]} = 0 ] || fail "FAILED: ${#objections[@]} objections, above."; }

usage() {
    cat <<'TEXT'
bash Tests/Live/rehearsal.sh [--short | --kubernetes] [--keep] [--jobs N]
bash Tests/Live/rehearsal.sh --images [TARGET…]

As root, on Debian 12: installs Docker (docker.io) and Compose v2, starts an engine of its own, makes stand-ins for the base images,
builds the suite's images with deploy/Dockerfile, starts docker-compose.yml with all profiles, and then

  story      plays the story from outside, through the published ports, and runs deploy/smoke.sh
  rights     checks each container's privileges, and that no secret is in an environment or on a command line
  arrows     tries to connect from each container to each other: only those with an arrow may, and they must
  routes     looks where each container's packets go, with every file of deploy that is added alone, and with all of them
  listeners  scans every TLS listener with testssl.sh, and with sslyze against Mozilla's recommendations
  upgrade    applies a migration and replaces every service with a newer build, under traffic of which no request may fail
  kills      kills every program, waits until it has recovered, and plays the story once more
  backup     backs the suite up, loses the machine, and restores it: what was used stays used, and what was denied stays denied
  figures    asks Prometheus for every service, and for everything that an alert is made of
  postgres   moves the database to the next version of PostgreSQL
  country    starts everything anew as another country, with an empty database, runs deploy/smoke.sh, and plays the story

and takes everything down again. It takes half an hour to an hour on two cores: stand-ins, two release builds of the suite (the newer one has
one more migration), and half a minute for each listener. Services have to keep their deadlines meanwhile: it needs the machine alone.

The engine has a stock configuration, except where its files are, and while the suite runs it is in a network namespace of its own:
it touches no other engine, no port and no firewall rule of the machine, and ends with the script. Nothing in containers reaches the
internet. Images and builds are kept below $XDG_CACHE_HOME (~/.cache). PostgreSQL has the version that docker-compose.yml names; the
next one, nginx and Prometheus are unstable Debian's. On a machine that can't run an engine, for example without root, it says so and
does nothing; with CI=true in the environment, which most services for continuous integration set, it fails.

With --short it does in a few minutes what the README says: secrets, `docker compose up`, smoke test; then routes with every added
file, the end of PostgreSQL, backup and restore, and everything down again. The programs are those of the machine's build for release.

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

With --images it only builds images (all, or these targets of deploy/Dockerfile) and tries each: whose it is, that its program starts on
a read-only root file system, that the label names the libraries that it has loaded. Then it counts their size.

With VIGIL_BUILT=yes in the environment the programs are those of .build/release; the newer ones, too, are then built on this machine.

  --short       what continuous integration runs
  --kubernetes  the pods of deploy/kubernetes/small; needs a kubectl with kustomize 5, which isn't among Debian's packages
  --keep        at the end, leaves everything running until Control-C, and says how to look at it
  --jobs N      so many compilers at a time, instead of one for each processor
  --help        this text
TEXT
}

arguments=("$@")
kind=whole
keep=
jobs=
targets=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --short | --kubernetes) kind=${1#--} ;;
        --keep) keep=yes ;;
        --images)
            kind=images targets=("${@:2}")
            break
            ;;
        --jobs) jobs=${2:?--jobs needs a number} && shift ;;
        *) fail "rehearsal.sh has no option $1; see --help." ;;
    esac
    shift
done
cd "$checkout"
# The story has people report themselves without a registered test, which an addition allows.
[ "$kind" = short ] || compose_files+=(deploy/self-reports.yml)
# Some of them ask what the files say.
for part in engine images containers story isolation listeners routes overlays upgrade backup kubernetes; do
    . "$checkout/Tests/Live/rehearsal/$part.sh"
done
mapfile -t services < <(describe --services)
mapfile -t images < <(describe --images)

# MARK: The machine, and images, in its network

if [ -z "${VIGIL_REHEARSAL_INSIDE:-}" ]; then
    [ "$(id -u)" = 0 ] || leave_out "an engine needs the rights of root."
    apart true 2>/dev/null || leave_out "this machine allows no namespaces."
    [ "$kind" != kubernetes ] || check_kubectl
    packages+=(docker.io debootstrap iptables iproute2 openssl socat curl util-linux age)
    [ "$kind" != kubernetes ] || packages+=(nftables dnsmasq-base)
    prepare_machine
    check_disk "$checkout" 20000
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock --nonblock 9 || fail "Another rehearsal is running: wait until it ends."
    prepare_python
    prepare_client
    describe || fail "FAILED: docker-compose.yml is not as the design wants it."
    [ "$kind" != short ] || { build_release && VIGIL_BUILT=yes; }
    trap stop_engine EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    # It changes nothing of the machine's network; builds take packages from outside.
    start_engine --bridge none --iptables=false --ip-forward=false
    make_images
    stop_engine
    trap - EXIT
    [ "$kind" != images ] || exit 0
    # When it ends, so does everything that it has started.
    VIGIL_REHEARSAL_INSIDE=$$ apart bash "$checkout/Tests/Live/rehearsal.sh" "${arguments[@]}"
    say "REHEARSED in $((SECONDS / 60)) minutes $((SECONDS % 60)) seconds."
    exit 0
fi

# MARK: The suite, apart

ip link set lo up
trap take_down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
stage=$(mktemp -d /tmp/vigil-scratch.XXXXXX)
# What is written to the checkout, such as settings, ends with the rehearsal; and nobody's settings are in it but the rehearsal's.
mkdir "$stage/upper" "$stage/work"
mount -t overlay -o "lowerdir=$checkout,upperdir=$stage/upper,workdir=$stage/work" overlay "$checkout"
cd "$checkout"
rm -f .env
prepare_python
prepare_programs
start_engine
export VIGIL_SECRETS="$stage/secrets"
case $kind in
    short) rehearse_shortly ;;
    kubernetes) rehearse_kubernetes ;;
    whole) rehearse ;;
    *) fail "There is no rehearsal $kind." ;;
esac
conclude

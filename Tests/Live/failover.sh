#!/usr/bin/env bash
# Lets PostgreSQL fail over under load, as often as wanted.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$checkout/Tests/tools.sh"

usage() {
    cat <<'TEXT'
bash Tests/Live/failover.sh [OPTION…]

Starts three servers of PostgreSQL with Patroni, three of etcd, two machines with the services of the path of an upload, and a load
balancer in front of them, each in a network namespace of its own. Each machine reaches PostgreSQL through an HAProxy of its own,
which asks Patroni which server is the primary. Then something goes wrong, while laboratories, phones and submission servers repeat
every call until it is answered:

  switchover  an administrator moves the leader
  postmaster  the leader's postmaster ends
  machine     the leader's machine is lost
  freeze      the leader's machine stands still until another one leads, and goes on
  cut         the leader is cut off from the other servers
  loss        a fifth of the leader's packets is lost for half a minute
  standby     the standby that commits wait for is lost
  etcd        all of etcd is gone for 15 seconds
  stall       the machine that leads etcd stands still for 30 seconds, and goes on
  orphan      Patroni ends on the leader's machine and PostgreSQL doesn't, so there are two primaries
  disk        the leader's disk is full
  services    a machine of services is lost
  clock       the clock of a machine of services is wrong by 20 minutes

In between, folds are killed. Afterwards the answers are compared with the tables, as by proof.sh kills: nothing that was acknowledged may be
lost, no TAN may serve two uploads, no hour may be folded twice. It prints how long nothing was acknowledged in each fault.

Then, twice more, there are two primaries, each of which has granted the lock of whoever publishes. One of its two holders may act, and
without the fence, which is the control, both must. Needs root.

And once there is a second site, which follows asynchronously, and an archive: the second site is cut off, the first one is lost, the
second one goes on, and a server is restored from the archive. What was lost is printed.

  --faults N   how many (default 20; 20 losses of the leader's machine took 12 minutes)
  --only NAME  only this fault, or `leads` for the two holders of a lock, or `site` for the second site
  --direct     connection strings name the three servers instead of HAProxy (there is no orphan then)
  --seed N     the seed of their order and moments; by default another one each time, which is printed
  --help       this text
TEXT
}

faults=20
only=
direct=
seed=$RANDOM
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --faults | --seed)
            [[ ${2:-} =~ ^[1-9][0-9]{0,6}$ ]] || fail "$1 needs a number from 1 to 9999999."
            if [ "$1" = --faults ]; then faults=$2; else seed=$2; fi
            shift 2
            ;;
        --only)
            [[ ${2:-} =~ ^(switchover|postmaster|machine|freeze|cut|loss|standby|etcd|stall|orphan|disk|services|clock|leads|site)$ ]] || fail "--only needs the name of a fault; see --help."
            only=$2
            shift 2
            ;;
        --direct)
            direct=yes
            shift
            ;;
        *) fail "$1 is no option: see bash Tests/Live/failover.sh --help." ;;
    esac
done
[ -z "$direct" ] || [ "$only" != orphan ] || fail "--direct has no orphan: nobody could tell it from the primary."
[ "$(id -u)" = 0 ] || fail "failover.sh needs root: it makes network namespaces."

if [ -z "${VIGIL_INSIDE:-}" ]; then
    packages+=(etcd-server nftables haproxy faketime)
    prepare_machine
    prepare_python
    check_disk "$checkout" 6000
    build_debug --build-tests
    arguments=(--faults "$faults" --seed "$seed")
    [ -z "$only" ] || arguments+=(--only "$only")
    [ -z "$direct" ] || arguments+=(--direct)
    # Its own network and its own /run/netns, so that nothing here meets anything else on this machine. When this process ends, so does
    # everything in it.
    exec env VIGIL_INSIDE=1 VIGIL_BUILT=yes unshare --net --mount --pid --fork --kill-child --mount-proc --propagation private \
        bash "${BASH_SOURCE[0]}" "${arguments[@]}"
fi

cd "$checkout"
mkdir -p /run/netns
mount -t tmpfs tmpfs /run/netns
VIGIL_CLUSTER=$(mktemp -d /tmp/vigil-failover.XXXXXX)
VIGIL_POSTGRES_PROGRAMS=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin | sort -V | tail -n 1)
VIGIL_CLUSTER_SCRIPT=$checkout/Tests/Live/failover/cluster.sh
export VIGIL_CLUSTER VIGIL_CLUSTER_SCRIPT VIGIL_POSTGRES_PROGRAMS
chmod 755 "$VIGIL_CLUSTER"
# Where PostgreSQL's user may read it.
prepare_python
mkdir "$VIGIL_CLUSTER/python"
mount --bind "${python%/bin/python}" "$VIGIL_CLUSTER/python"
finish() {
    local status=$? logs
    trap - EXIT
    if [ "$status" != 0 ]; then
        logs=$(mktemp -d /tmp/vigil-failover-logs.XXXXXX)
        (cd "$VIGIL_CLUSTER" && find . -name '*.log' -exec cp --parents {} "$logs" \;)
        say "The logs of the servers are in $logs."
    fi
    bash "$VIGIL_CLUSTER_SCRIPT" stop || true
    umount "$VIGIL_CLUSTER/python"
    rm -rf "$VIGIL_CLUSTER"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

head -c 18 /dev/urandom | base64 | tr -d '+/=\n' >"$VIGIL_CLUSTER/password"
printf '*:*:*:postgres:%s\n' "$(cat "$VIGIL_CLUSTER/password")" >"$VIGIL_CLUSTER/pgpass"
chmod 600 "$VIGIL_CLUSTER/password" "$VIGIL_CLUSTER/pgpass"
if [ -z "$only" ] || [ "$only" = site ]; then export VIGIL_SECOND_SITE=yes; fi
say "Starting three servers …"
bash "$VIGIL_CLUSTER_SCRIPT" start

# $1: the suite. Each has the servers to itself.
run_suite() {
    VIGIL_FAULTS=$faults VIGIL_FAULT=$only VIGIL_KILLS_SEED=$seed VIGIL_REQUIRE_POSTGRES=1 \
        swift test --skip-build --filter "[.]$1/" || fail "FAILED with --faults $faults --seed $seed: see what failed above."
}
[ -z "$direct" ] || export VIGIL_DIRECT=yes
if [ "$only" != leads ] && [ "$only" != site ]; then
    say "$faults faults, seed $seed …"
    run_suite FailoverTests
fi
if [ -z "$only" ] || [ "$only" = leads ]; then
    say "Two leaders, with the fence and without …"
    run_suite LeadFailoverTests
fi
if [ -z "$only" ] || [ "$only" = site ]; then
    say "A second site …"
    run_suite SecondSiteFailoverTests
fi
say "PASSED: $faults faults, seed $seed."

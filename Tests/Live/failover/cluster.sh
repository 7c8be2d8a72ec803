#!/usr/bin/env bash
# Three servers of PostgreSQL with Patroni, three of etcd and two machines for services, each in a network namespace of its own, and what
# can go wrong with PostgreSQL. failover.sh starts them, and the tests call it with the name of a fault.
#
#     cluster.sh start                makes the namespaces and starts PostgreSQL; returns when two servers follow the leader
#     cluster.sh balance PORT…        starts the load balancer in front of the services: it has their ports
#     cluster.sh share PORT…          lets both machines reach what only this one has, at the same ports
#     cluster.sh fault NAME           lets something go wrong, repairs it, and returns when PostgreSQL is whole again
#     cluster.sh site STEP            takes a step with a second site: see second-site.sh
#     cluster.sh stop                 ends everything
#
# HAProxy runs on each machine that has a client of PostgreSQL: its port 5400 leads to the server of which Patroni says that it is the
# primary. A connection to one of which it no longer says so ends.
#
# $VIGIL_CLUSTER is the folder of its files, with Patroni below `python`, and $VIGIL_POSTGRES_PROGRAMS that of PostgreSQL's programs. With
# $VIGIL_SECOND_SITE the three servers archive their log. Everything happens in the network namespace that the caller made.
set -euo pipefail

folder=$VIGIL_CLUSTER
nodes=(1 2 3)
services=(4 5)
# Not on the machines of PostgreSQL: deploy/runbook.md, "PostgreSQL on three machines", says why.
etcds=(7 8 9)
outside=254
network=10.77.0
address() { printf '%s.%s' "$network" "$1"; }

fail() {
    printf 'cluster.sh: %s\n' "$*" >&2
    exit 1
}

# Runs a command in a node's namespace as the user `postgres`, in the background, and keeps its process id.
# $1: the node; $2: what it is; then the command.
run() {
    local node=$1 what=$2
    shift 2
    # In a session of its own, so that nothing that ends the caller ends it.
    setsid ip netns exec "vigil$node" setpriv --reuid=postgres --regid=postgres --clear-groups "$@" \
        >>"$folder/$node/$what.log" 2>&1 </dev/null &
    printf '%s\n' "$!" >"$folder/$node/$what.pid"
}

# Whether a process that was started still runs. $1: the node; $2: what it is.
runs() {
    local id
    id=$(cat "$folder/$1/$2.pid" 2>/dev/null) && [ -n "$id" ] && kill -0 "$id" 2>/dev/null
}

# Runs HAProxy. $1: the machine, or `outside`; $2: what it is, whose file it reads.
balancer() {
    local place=()
    [ "$1" = "$outside" ] || place=(ip netns exec "vigil$1")
    setsid "${place[@]}" haproxy -db -f "$folder/$1/$2.cfg" >>"$folder/$1/$2.log" 2>&1 </dev/null &
    printf '%s\n' "$!" >"$folder/$1/$2.pid"
}

# Runs a statement on a server, as its superuser. $1: the server's number, or another folder of its socket; $2: the statement.
statement() {
    setpriv --reuid=postgres --regid=postgres --clear-groups psql -qXAt -h "$folder/$1" -U postgres -d postgres -c "$2"
}

# Every process in a node's namespace.
processes() { ip netns pids "vigil$1" 2>/dev/null || true; }

# MARK: Starting

# $1: the node; then all members.
start_etcd() {
    runs "$1" etcd && return
    local node=$1 here members='' member
    shift
    here=$(address "$node")
    for member in "$@"; do members+="${members:+,}n$member=http://$(address "$member"):2380"; done
    run "$node" etcd etcd --name "n$node" --data-dir "$folder/$node/etcd" --initial-cluster "$members" \
        --initial-cluster-state new --listen-peer-urls "http://$here:2380" --initial-advertise-peer-urls "http://$here:2380" \
        --listen-client-urls "http://$here:2379" --advertise-client-urls "http://$here:2379" --log-level error
}

start_patroni() {
    runs "$1" patroni && return
    run "$1" patroni "$folder/python/bin/python" -m patroni "$folder/$1/patroni.yml"
}

# How each server archives its log, one file after the other, none twice.
archiving() {
    [ -n "${VIGIL_SECOND_SITE:-}" ] || return 0
    cat <<YAML
        archive_mode: "on"
        archive_timeout: 5min
        archive_command: "cmp -s %p $folder/archive/wal/%f || { test ! -f $folder/archive/wal/%f && cp %p $folder/archive/wal/%f.part && sync $folder/archive/wal/%f.part && mv $folder/archive/wal/%f.part $folder/archive/wal/%f; }"
YAML
}

configure() {
    local node=$1 hosts='' other
    for other in "${etcds[@]}"; do hosts+="${hosts:+,}$(address "$other"):2379"; done
    # 20, 5 and 5 seconds are near the least that Patroni allows.
    cat >"$folder/$node/patroni.yml" <<YAML
scope: vigil
etcd3: { hosts: "$hosts" }
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 5
    retry_timeout: 5
    synchronous_mode: true
    synchronous_mode_strict: true
    # For how long a leader may be starting before another one takes its place; Patroni's default is five minutes.
    primary_start_timeout: 15
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters:
        max_connections: 250
        wal_recycle: "off"
        wal_sender_timeout: 5s
        wal_receiver_timeout: 5s
        tcp_keepalives_idle: 5
        tcp_keepalives_interval: 2
        tcp_keepalives_count: 3
        # Nothing here cuts the power.
        fsync: "off"
$(archiving)
  initdb: [{ encoding: UTF8 }, { locale: C.UTF-8 }, data-checksums, no-sync]
$(of_this_node "$node")
YAML
}

# What a node's file says of itself.
of_this_node() {
    local node=$1 password
    password=$(cat "$folder/password")
    cat <<YAML
name: n$node
restapi: { listen: "$(address "$node"):8008", connect_address: "$(address "$node"):8008" }
postgresql:
  listen: "$(address "$node"):5432"
  connect_address: "$(address "$node"):5432"
  data_dir: "$folder/$node/disk/data"
  bin_dir: "$VIGIL_POSTGRES_PROGRAMS"
  pgpass: "$folder/$node/pgpass"
  parameters: { unix_socket_directories: "$folder/$node" }
  # Otherwise a clone of a primary that has work waits up to five minutes for a checkpoint.
  basebackup: [{ checkpoint: fast }]
  pg_hba:
    - local all postgres trust
    - local replication postgres trust
    - host replication replicator $network.0/24 scram-sha-256
    - host all all $network.0/24 scram-sha-256
  authentication:
    superuser: { username: postgres, password: "$password" }
    replication: { username: replicator, password: "$password" }
    rewind: { username: postgres, password: "$password" }
YAML
}

# Settings that all HAProxies share.
balancing() {
    cat <<'CFG'
defaults
    mode tcp
    timeout connect 1s
    timeout check 1s
    timeout client 1h
    timeout server 1h
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
CFG
}

# Leads a machine's port 5400 to whichever of the servers is the primary. $1: the machine; then the servers.
lead_to_primary() {
    local machine=$1 node
    shift
    {
        balancing
        printf 'listen primary\n    bind 127.0.0.1:5400\n    option httpchk OPTIONS /primary\n'
        for node in "$@"; do printf '    server n%s %s:5432 check port 8008\n' "$node" "$(address "$node")"; done
    } >"$folder/$machine/primary.cfg"
    balancer "$machine" primary
}

balance() {
    local port machine
    {
        balancing
        for port in "$@"; do
            printf 'listen port%s\n    bind 127.0.0.1:%s\n' "$port" "$port"
            for machine in "${services[@]}"; do
                printf '    server s%s %s:%s check\n' "$machine" "$(address "$machine")" "$port"
            done
        done
    } >"$folder/$outside/services.cfg"
    balancer "$outside" services
}

share() {
    local port machine
    for machine in "${services[@]}"; do
        {
            balancing
            for port in "$@"; do
                printf 'listen port%s\n    bind 127.0.0.1:%s\n    server outside %s:%s\n' "$port" "$port" "$(address "$outside")" "$port"
            done
        } >"$folder/$machine/shared.cfg"
        balancer "$machine" shared
    done
}

# A machine, by its network namespace.
make_machine() {
    mkdir -p "$folder/$1"
    ip netns add "vigil$1"
    ip link add "vigil-$1" type veth peer name eth0 netns "vigil$1"
    ip link set "vigil-$1" master vigil0 up
    ip -n "vigil$1" address add "$(address "$1")/24" dev eth0
    ip -n "vigil$1" link set eth0 up
    ip -n "vigil$1" link set lo up
}

start() {
    local node machine
    ip link set lo up
    ip link add vigil0 type bridge
    ip address add "$(address "$outside")/24" dev vigil0
    ip link set vigil0 up
    for node in "${nodes[@]}" "${services[@]}" "${etcds[@]}"; do make_machine "$node"; done
    for node in "${nodes[@]}"; do
        configure "$node"
        # A disk of its own, that can be full.
        mkdir "$folder/$node/disk"
        mount -t tmpfs -o size=1g,mode=0700 tmpfs "$folder/$node/disk"
    done
    mkdir "$folder/$outside"
    for machine in "$outside" "${services[@]}"; do lead_to_primary "$machine" "${nodes[@]}"; done
    if [ -n "${VIGIL_SECOND_SITE:-}" ]; then install -d -o postgres "$folder/archive" "$folder/archive/wal"; fi
    chown -R postgres: "${nodes[@]/#/$folder/}" "${etcds[@]/#/$folder/}"
    for node in "${etcds[@]}"; do start_etcd "$node" "${etcds[@]}"; done
    for node in "${nodes[@]}"; do start_patroni "$node"; done
    await_whole 180
}

# MARK: What Patroni says

# Prints the leader's number. $1: a node that doesn't count, if any.
leader() {
    local node
    for node in "${nodes[@]}"; do
        [ "$node" != "${1:-}" ] || continue
        if curl -sf -m 1 -o /dev/null "http://$(address "$node"):8008/primary"; then
            printf '%s\n' "$node"
            return
        fi
    done
    return 1
}

# Prints the number of the standby that commits wait for.
standby() {
    local node
    for node in "${nodes[@]}"; do
        if curl -sf -m 1 -o /dev/null "http://$(address "$node"):8008/sync"; then
            printf '%s\n' "$node"
            return
        fi
    done
    return 1
}

# Whether there is a leader, a standby that commits wait for, and another one, and all three know it: one that stood still says at first what
# was true before.
is_whole() {
    local node views=''
    for node in "${nodes[@]}"; do
        views+=$(curl -sf -m 1 "http://$(address "$node"):8008/cluster") || return
    done
    /usr/bin/python3 -c '
import json, sys
views, left = [], sys.stdin.read()
while left:
    view, end = json.JSONDecoder().raw_decode(left)
    views.append({one["role"]: one["name"] for one in view["members"] if one["state"] in ("running", "streaming")})
    left = left[end:].lstrip()
whole = sorted(views[0]) == ["leader", "replica", "sync_standby"] and all(view == views[0] for view in views)
sys.exit(not whole)' <<<"$views"
}

# Whether that is so within a time. $1: seconds.
is_whole_within() {
    local attempt
    for attempt in $(seq $((5 * $1))); do
        # The standby itself knows later than the leader that commits wait for it.
        is_whole && leader >/dev/null && standby >/dev/null && return
        sleep 0.2
    done
    return 1
}

# $1: seconds.
await_whole() {
    is_whole_within "$1" ||
        fail "The servers weren't whole within $1 seconds: $(tail -qn 2 "$folder"/[123]/patroni.log)"
}

# Waits for a leader other than a node. $1: that node; $2: seconds.
await_other_leader() {
    local attempt
    for attempt in $(seq $((5 * $2))); do
        leader "$1" >/dev/null && return
        sleep 0.2
    done
    fail "Nobody took over within $2 seconds: $(tail -qn 2 "$folder"/[123]/patroni.log)"
}

. "$(dirname "${BASH_SOURCE[0]}")/faults.sh"
. "$(dirname "${BASH_SOURCE[0]}")/second-site.sh"

# MARK: Ending

stop() {
    local node file
    for file in "$folder/$outside"/*.pid; do kill -KILL "$(cat "$file")" 2>/dev/null || true; done
    for node in "${nodes[@]}" "${services[@]}" "${etcds[@]}" "$second"; do lose "$node"; done
    for node in "${nodes[@]}" "${services[@]}" "${etcds[@]}" "$second"; do ip netns delete "vigil$node" 2>/dev/null || true; done
    for node in "${nodes[@]}"; do umount -l "$folder/$node/disk" 2>/dev/null || true; done
}

case ${1:-} in
    start | stop) "$1" ;;
    balance | share) "$@" ;;
    fault)
        case ${2:-} in
            switchover | postmaster | machine | freeze | cut | loss | stall | orphan | disk) "$2" ;;
            standby | etcd) "without_$2" ;;
            *) fail "There is no fault ${2:-without a name}." ;;
        esac
        ;;
    site)
        case ${2:-} in
            start | cut | lose | promote | restore) "site_$2" "${@:3}" ;;
            *) fail "There is no step ${2:-without a name}." ;;
        esac
        ;;
    *) fail "It starts, stops, or has a fault: see its head." ;;
esac

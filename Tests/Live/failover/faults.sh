# What can go wrong with PostgreSQL; each function returns when everything is whole again. Sourced by cluster.sh, not run.

# Sends a signal to all that runs on a machine. Some of it may have ended meanwhile.
signal() { processes "$1" | xargs -r kill "-$2" 2>/dev/null || true; }

# A machine stands still until the signal CONT. What was started meanwhile is stopped by the second time.
suspend() { for _ in 1 2; do signal "$1" STOP; done; }

# All that runs on a machine ends at once.
lose() { signal "$1" KILL; }

repair() {
    start_patroni "$1"
    await_whole 180
}

# Its administrator moves the leader.
switchover() {
    local node
    node=$(leader)
    curl -sf -m 60 -o /dev/null -X POST -d "{\"leader\":\"n$node\"}" "http://$(address "$node"):8008/switchover"
    await_whole 120
}

# The leader's postmaster ends; Patroni starts it again.
postmaster() {
    local node file id attempt
    node=$(leader)
    file=$folder/$node/disk/data/postmaster.pid
    id=$(head -n 1 "$file")
    kill -KILL "$id"
    # Patroni's answers are those of before until it has noticed.
    for attempt in $(seq 300); do
        [ "$(head -n 1 "$file" 2>/dev/null || printf %s "$id")" != "$id" ] && break
        sleep 0.2
    done
    await_whole 120
}

# The leader's machine is gone.
machine() {
    local node
    node=$(leader)
    lose "$node"
    await_other_leader "$node" 120
    repair "$node"
}

# The leader's machine stands still, as a virtual one may, and goes on when another one leads.
freeze() {
    local node
    node=$(leader)
    suspend "$node"
    await_other_leader "$node" 120
    # The other one has acknowledged something by then.
    sleep 10
    signal "$node" CONT
    await_whole 240
}

# The leader no longer reaches the other servers and etcd, but services still reach it.
cut() {
    local node other
    node=$(leader)
    {
        printf 'table inet cut {\n'
        for other in "${nodes[@]}" "${etcds[@]}"; do
            [ "$other" = "$node" ] || printf 'chain in%s { type filter hook input priority 0; ip saddr %s drop; }\n' "$other" "$(address "$other")"
            [ "$other" = "$node" ] || printf 'chain out%s { type filter hook output priority 0; ip daddr %s drop; }\n' "$other" "$(address "$other")"
        done
        printf '}\n'
    } | ip netns exec "vigil$node" nft -f -
    await_other_leader "$node" 120
    ip netns exec "vigil$node" nft delete table inet cut
    await_whole 240
}

# A fifth of the leader's packets is lost, so that the rest is slow.
loss() {
    local node
    node=$(leader)
    printf 'table inet loss {\nchain in { type filter hook input priority 0; iif != lo numgen random mod 5 0 drop; }\nchain out { type filter hook output priority 0; oif != lo numgen random mod 5 0 drop; }\n}\n' |
        ip netns exec "vigil$node" nft -f -
    sleep 30
    ip netns exec "vigil$node" nft delete table inet loss
    await_whole 240
}

# The standby that commits wait for is gone.
without_standby() {
    local node
    node=$(standby)
    lose "$node"
    # Commits wait until the other one takes its place.
    sleep 10
    repair "$node"
}

# All of etcd is gone for a while: nobody may lead.
without_etcd() {
    local node
    for node in "${etcds[@]}"; do lose "$node"; done
    sleep 15
    for node in "${etcds[@]}"; do start_etcd "$node" "${etcds[@]}"; done
    await_whole 240
}

# The machine that leads etcd stands still for longer than anybody's lease lasts. When it goes on, it may end the leases of all others
# (https://github.com/etcd-io/etcd/issues/15247).
stall() {
    local node
    node=$(etcd_leader)
    suspend "$node"
    sleep 30
    signal "$node" CONT
    # Until everybody has noticed that a lease is gone.
    sleep 5
    await_whole 240
}

# Prints the number of the machine that leads etcd.
etcd_leader() {
    local node
    for node in "${etcds[@]}"; do
        if curl -sf -m 2 -d '{}' "http://$(address "$node"):2379/v3/maintenance/status" |
            /usr/bin/python3 -c 'import json, sys; status = json.load(sys.stdin); sys.exit(status["header"]["member_id"] != status["leader"])'; then
            printf '%s\n' "$node"
            return
        fi
    done
    return 1
}

# Patroni is gone on the leader's machine, and PostgreSQL runs on: there are two primaries.
orphan() {
    local node
    node=$(leader)
    kill -KILL "$(cat "$folder/$node/patroni.pid")"
    await_other_leader "$node" 120
    # For as long as somebody needs to notice it.
    sleep 10
    repair "$node"
}

# The leader's disk is full, and the log's next segment has no room. As long as the server can start without it, Patroni starts and promotes
# it again and again, without a standby: so nobody else may lead until somebody makes room.
disk() {
    local node
    node=$(leader)
    head -c 2G /dev/zero >"$folder/$node/disk/full" 2>/dev/null || true
    statement "$node" 'SELECT pg_switch_wal(), pg_switch_wal()' >/dev/null 2>&1 || true
    sleep 15
    rm "$folder/$node/disk/full"
    is_whole_within 60 && return
    # If it couldn't start without room, another one leads, which may lack the end of its log. Then an administrator clones it anew.
    curl -sf -m 60 -o /dev/null -d '{"force": true}' "http://$(address "$node"):8008/reinitialize"
    await_whole 240
}

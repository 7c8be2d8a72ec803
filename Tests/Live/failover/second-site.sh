# A second site, which follows the first one asynchronously, and an archive: deploy/runbook.md, "Two sites". Sourced by cluster.sh, not run.
#
#     site start    a server with Patroni and etcd of its own clones whoever leads, and follows; a base backup goes to the archive
#     site cut      returns when the server and the archive have everything, and then cuts the server off
#     site lose     everything at the first site is gone
#     site promote  the second site's server leads, and every machine of services is led there
#     site restore  a server is restored from the archive up to the moment of the cut; it listens in the folder `restored` only

second=6

# Until a server's Patroni says that it has a role. $1: the server; $2: the role; $3: seconds.
await_role() {
    local attempt
    for attempt in $(seq $((5 * $3))); do
        curl -sf -m 1 -o /dev/null "http://$(address "$1"):8008/$2" && return
        sleep 0.2
    done
    fail "n$1 wasn't $2 within $3 seconds: $(tail -qn 3 "$folder/$1/patroni.log")"
}

site_start() {
    make_machine "$second"
    # Its one server commits without a standby, until there is another one. Where the stream has a gap, the archive fills it.
    cat >"$folder/$second/patroni.yml" <<YAML
scope: vigil-second
etcd3: { hosts: "$(address "$second"):2379" }
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 5
    retry_timeout: 5
    standby_cluster:
      host: 127.0.0.1
      port: 5400
      create_replica_methods: [basebackup]
      restore_command: "cp $folder/archive/wal/%f %p"
    postgresql:
      parameters: { max_connections: 250, wal_recycle: "off", fsync: "off" }
$(of_this_node "$second")
YAML
    mkdir "$folder/$second/disk"
    chown -R postgres: "$folder/$second"
    lead_to_primary "$second" "${nodes[@]}"
    start_etcd "$second" "$second"
    start_patroni "$second"
    await_role "$second" standby-leader 120
    setpriv --reuid=postgres --regid=postgres --clear-groups "$VIGIL_POSTGRES_PROGRAMS/pg_basebackup" -h "$folder/$(leader)" -U postgres \
        -D "$folder/archive/base" --checkpoint=fast --wal-method=none --no-sync
}

site_cut() {
    local place file attempt
    place=$(statement "$(leader)" "SELECT pg_create_restore_point('cut')")
    file=$folder/archive/wal/$(statement "$(leader)" "SELECT pg_walfile_name(pg_switch_wal())")
    for attempt in $(seq 300); do
        [ -f "$file" ] && [ "$(statement "$second" "SELECT pg_last_wal_replay_lsn() >= '$place'")" = t ] && break
        sleep 0.1
    done
    [ "$(statement "$second" "SELECT pg_last_wal_replay_lsn() >= '$place'")" = t ] || fail "The second site doesn't follow."
    [ -f "$file" ] || fail "The archive hasn't got $file: $(statement "$(leader)" 'TABLE pg_stat_archiver')"
    printf 'table inet cut {\nchain in { type filter hook input priority 0; iif != lo drop; }\nchain out { type filter hook output priority 0; oif != lo drop; }\n}\n' |
        ip netns exec "vigil$second" nft -f -
}

site_lose() {
    local node
    for node in "${nodes[@]}" "${etcds[@]}"; do lose "$node"; done
}

site_promote() {
    local machine
    ip netns exec "vigil$second" nft delete table inet cut
    curl -sf -m 10 -o /dev/null -X PATCH -d '{"standby_cluster": null}' "http://$(address "$second"):8008/config"
    await_role "$second" primary 60
    for machine in "$outside" "${services[@]}"; do
        kill -KILL "$(cat "$folder/$machine/primary.pid")"
        lead_to_primary "$machine" "$second"
    done
}

site_restore() {
    local data=$folder/archive/base attempt
    install -d -o postgres -m 0700 "$folder/restored"
    install -o postgres /dev/null "$data/recovery.signal"
    # The settings of initdb, without those of Patroni.
    setsid setpriv --reuid=postgres --regid=postgres --clear-groups "$VIGIL_POSTGRES_PROGRAMS/postgres" -D "$data" -k "$folder/restored" \
        -c "config_file=$data/postgresql.base.conf" -c listen_addresses= -c max_connections=250 \
        -c "restore_command=cp $folder/archive/wal/%f %p" -c recovery_target_name=cut -c recovery_target_action=promote \
        >>"$folder/restored/postgres.log" 2>&1 </dev/null &
    printf '%s\n' "$!" >"$folder/$outside/restored.pid"
    for attempt in $(seq 300); do
        [ "$(statement restored 'SELECT pg_is_in_recovery()' 2>/dev/null)" = f ] && return
        sleep 0.2
    done
    fail "The archive couldn't be restored: $(tail -n 5 "$folder/restored/postgres.log")"
}

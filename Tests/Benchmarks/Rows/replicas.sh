# Replicas: machines of services, each with everything that an upload or a poll passes but PostgreSQL, in a control group that has a part of
# a core. What they get of it doesn't depend on what else runs, as long as there is some left: PostgreSQL and the phones have the rest.

# A control group with so much of the processor. $1: its name; $2: hundredths of a core. In periods of 10 ms: in the kernel's own of 100 ms a
# group that has used up its part stands still for the rest of it, which would be measured as slowness.
replica_group() {
    local group=$replica_groups/vigil-bench-$1
    mkdir -p "$group" || fail "Replicas need root, and a kernel with quotas of the processor."
    if [ -e "$group/cpu.max" ]; then
        printf '%s 10000\n' $(($2 * 100)) >"$group/cpu.max"
    else
        printf '10000\n' >"$group/cpu.cfs_period_us" && printf '%s\n' $(($2 * 100)) >"$group/cpu.cfs_quota_us"
    fi
}
replica_groups=/sys/fs/cgroup
[ -e "$replica_groups/cgroup.controllers" ] || replica_groups=/sys/fs/cgroup/cpu

# Starts a machine of services. $1: its number, of which each has its ports; $2: hundredths of a core. ${replica_ids[$1]} are then its
# test-result-server, verification-server, submission-server and proxy.
replica_start() {
    local port=$((19000 + 100 * $1)) verification_cores=0,1 verification_pool=6 id
    replica_group "$1" "$2"
    verification_servers "$port"
    replica_ids[$1]="${verification_ids[*]}"
    submission_start "$port"
    replica_ids[$1]+=" $!"
    verification_proxy "$port"
    replica_ids[$1]+=" $!"
    for id in ${replica_ids[$1]}; do printf '%s\n' "$id" >"$replica_groups/vigil-bench-$1/cgroup.procs"; done
    serving_wait "$port" && serving_wait $((port + 10)) && serving_wait $((port + 30)) && serving_wait $((port + 20))
}
replica_ids=()

# Ends all of them.
replica_end() {
    local number
    for number in "${!replica_ids[@]}"; do
        # shellcheck disable=SC2086
        kill ${replica_ids[number]} 2>/dev/null && wait ${replica_ids[number]} 2>/dev/null || true
        rmdir "$replica_groups/vigil-bench-$number" 2>/dev/null || true
    done
    replica_ids=()
}

# Uploads to machines, each from a part of the phones. $1: phones at one time on each; then the machines' numbers. Prints what was
# answered in a second.
replica_rate() {
    local phones=$1 number bases=()
    shift
    for number in "$@"; do bases+=(--base "https://localhost:$((19000 + 100 * number))"); done
    "$benchmarks" uploads "${bases[@]}" --folder "$scratch/suite" --tasks $((phones * $#)) --seconds "$seconds" \
        2>"$scratch/replicas.log" |
        sed -n 's/.*"operations":\([0-9]*\).*"seconds":\([0-9.]*\).*/\1 \2/p' | awk '{ print $1 / $2 }'
}

# Two machines with half a core each, against one with a whole one: uploads.
two_replicas_prepare() {
    submission_prepare
    taskset -a -p -c 0,1 "$verification_postgres" >/dev/null
    replica_start 1 50 && replica_start 2 50 && replica_start 3 100
    # The first calls after a start are slow, the longer the less of a core there is.
    two_replicas_ours >/dev/null && two_replicas_reference >/dev/null
}
two_replicas_ours() { submission_reset && replica_rate 128 1 2; }
two_replicas_reference() { submission_reset && replica_rate 256 3; }
two_replicas_end() {
    replica_end
    taskset -a -p -c 0 "$verification_postgres" >/dev/null
}

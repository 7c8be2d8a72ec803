# The lists of a million positive reports, /data and /responses, as the service builds them when it finds none: from its start until both
# are in its folder and durable, with their compressed copies. It has both cores, as in operation; PostgreSQL is on the first.

further_reports=${FURTHER_REPORTS:-1000000}
further_built=version/v1/further/built

# Of the last 13 days, and in the order of their ids, as the service leaves them after an hour: nothing is due to be deleted or written again.
further_snapshot_prepare() {
    suite_prepare
    postgres_sql "TRUNCATE further.report"
    postgres_sql "INSERT INTO further.report (id, feeling_sick, has_been_tested, last_update, positive_since, release_at)
        SELECT gen_random_uuid(), n % 2 = 0, n % 3 = 0, (extract(epoch FROM now())::bigint / 3600 - n % (13 * 24)) * 3600, 0, 0
        FROM generate_series(1, $further_reports) AS n ORDER BY 1"
    postgres_sql "VACUUM ANALYZE further.report" && postgres_sql "CHECKPOINT"
}

# One build in an empty folder. Prints the seconds it took, those of the processor, PostgreSQL's included, and the most MiB that the service had.
further_build() {
    local lists="$scratch/suite/snapshot" id before began took attempt spent peak
    rm -rf "$lists" && mkdir -p "$lists" && sync || return
    before=$(suite_ticks)
    began=$(date +%s%N)
    verification_cores=0,1 verification_start further vigil_further APP_PORT=18947 ADMIN_PORT=18948 \
        SECRETS_HASH_KEY="$scratch/suite/key" DIRECTORY="$lists"
    id=$!
    for attempt in $(seq 6000); do
        [ ! -e "$lists/$further_built" ] || break
        sleep 0.01
    done
    took=$(($(date +%s%N) - began))
    spent=$(($(suite_ticks "$id") - before))
    peak=$(awk '/^VmHWM/ { print $2 }' "/proc/$id/status")
    kill "$id" && wait "$id" 2>/dev/null || true
    # A report takes 127 bytes at least.
    [ "$(stat -c %s "$lists/${further_built%/*}"/{data,responses} | awk -v n="$further_reports" '$1 > n * 126' | wc -l)" = 2 ] &&
        awk -v took="$took" -v spent="$spent" -v peak="$peak" 'BEGIN { print took / 1e9, spent / 100, peak / 1024 }'
}

# Against the same two lists by COPY, from PostgreSQL into files: not compressed, not durable. The processor's time counts.
further_snapshot_ours() { further_build | awk -v n="$further_reports" '{ print n / $2 }'; }
further_snapshot_reference() {
    local before own
    before=$(suite_ticks)
    own=$({ TIMEFORMAT='%U %S' && time {
        further_copy id false false 86400 >"$scratch/suite/data.copy" &&
            further_copy "gen_random_uuid()" feeling_sick has_been_tested 3600 >"$scratch/suite/responses.copy"
    } 2>"$scratch/copy.log"; } 2>&1) || return
    # Its servers' times are known when PostgreSQL has waited for them.
    sleep 0.5
    awk -v n="$further_reports" -v t=$(($(suite_ticks) - before)) -v own="$own" 'BEGIN { split(own, o, " "); print n / (t / 100 + o[1] + o[2]) }'
}
# $1: the id; $2, $3: the answers; $4: to how many seconds the time is rounded. Keys as in the app's model, sorted by the ids.
further_copy() {
    "$postgres_programs/psql" -X -v ON_ERROR_STOP=1 -h "$scratch" -U postgres -d postgres -c "COPY (
        SELECT row_to_json(line) FROM (
            SELECT upper(shown::text) AS id, $2 AS \"feelingSick\", $3 AS \"hasBeenTested\", true AS \"testResult\",
                last_update / $4 * $4 AS \"lastUpdate\"
            FROM (SELECT $1 AS shown, * FROM further.report
                WHERE last_update / 86400 * 86400 > extract(epoch FROM now())::bigint - 14 * 86400
                    AND release_at <= extract(epoch FROM now())::bigint AND withdrawn_at IS NULL
                ORDER BY 1) AS report) AS line) TO STDOUT"
}
further_snapshot_end() { rm -rf "$scratch/suite/snapshot" "$scratch/suite"/*.copy; }

# Against two seconds.
further_snapshot_time_prepare() { further_snapshot_prepare; }
further_snapshot_time_ours() { further_build | awk -v n="$further_reports" '{ print n / $1 }'; }
further_snapshot_time_reference() { echo $((further_reports / 2)); }
further_snapshot_time_end() { further_snapshot_end; }

# Against 300 MiB.
further_snapshot_memory_prepare() { further_snapshot_prepare; }
further_snapshot_memory_ours() { further_build | awk -v n="$further_reports" '{ print n / $3 }'; }
further_snapshot_memory_reference() { echo $((further_reports / 300)); }
further_snapshot_memory_end() { further_snapshot_end; }

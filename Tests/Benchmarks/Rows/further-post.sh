# Positive health reports, one a call, for any of 500,000 ids of which half are stored: the service, which talks TLS, and PostgreSQL count, on
# the first core. The reference is the upsert alone by pgbench, a transaction each; pgbench and PostgreSQL count. Ours also opens TLS, reads
# 4 kB of JSON, looks at the row before it changes it, and checks the limit of the id.

further_post_prepare() {
    suite_prepare
    mkdir -p "$scratch/suite/further-lists"
    verification_start further vigil_further APP_PORT=18945 ADMIN_PORT=18946 SECRETS_HASH_KEY="$scratch/suite/key" \
        DIRECTORY="$scratch/suite/further-lists"
    further_server=$!
    serving_wait 18945
    cat >"$scratch/further.sql" <<SQL
\\set n random(0, $((verification_seeds - 1)))
INSERT INTO further.report (id, feeling_sick, has_been_tested, last_update, positive_since, release_at, written_hour)
VALUES ($(further_identifier :n::text), true, true, extract(epoch FROM now())::bigint, $(($(date +%s) / 3600)), 0, $(($(date +%s) / 3600)))
ON CONFLICT (id) DO UPDATE SET
    feeling_sick = excluded.feeling_sick, has_been_tested = excluded.has_been_tested, last_update = excluded.last_update,
    release_at = excluded.release_at, written_hour = excluded.written_hour;
SQL
}

# As `Seeded` in the loads makes it. $1: the number.
further_identifier() {
    printf "overlay(overlay(md5('report ' || %s) placing '4' from 13) placing '8' from 17)::uuid" "$1"
}

# Every second id is stored, since yesterday.
further_post_reset() {
    postgres_sql "TRUNCATE further.report" &&
        postgres_sql "INSERT INTO further.report (id, feeling_sick, has_been_tested, last_update, positive_since, release_at)
            SELECT $(further_identifier n), true, true, extract(epoch FROM now())::bigint - 86400, 0, 0
            FROM generate_series(0, $((verification_seeds - 1)), 2) AS n" &&
        postgres_sql "VACUUM ANALYZE further.report" && postgres_sql "CHECKPOINT"
}

further_post_ours() { further_post_reset && verification_rate health-reports 18945 32 "$further_server"; }
further_post_reference() { further_post_reset && pgbench_cpu_rate "$scratch/further.sql" 1; }
further_post_end() { kill "$further_server" && wait "$further_server" 2>/dev/null || true; }

# Shared/Platform/Postgres against pgbench: the same SQL, prepared, over 16 connections; the database on the first core, the client
# on the second.

postgres_connections=16

postgres_sql() { postgres_sql_in postgres "$1"; }

# $1: the database; $2: the statement.
postgres_sql_in() {
    "$postgres_programs/psql" -q -v ON_ERROR_STOP=1 -h "$scratch" -U postgres -d "$1" -c "$2" >/dev/null
}

# Prints what a query gives. $1: the query.
postgres_value() { "$postgres_programs/psql" -h "$scratch" -U postgres -d postgres -Atc "$1"; }

# $1: the script. Prints transactions per second.
pgbench_rate() {
    taskset -c 1 "$postgres_programs/pgbench" -n -M prepared -c "$postgres_connections" -j 1 -T "$seconds" -h "$scratch" \
        -U postgres -f "$1" postgres 2>"$scratch/pgbench.log" | sed -n 's/^tps = \([0-9.]*\).*/\1/p'
}

# $1: the subcommand. Prints operations per second.
postgres_rate() {
    taskset -c 1 "$benchmarks" "$1" --connection "host=$scratch user=postgres dbname=postgres" \
        --connections "$postgres_connections" --seconds "$seconds" |
        sed -n 's/.*"operations":\([0-9]*\).*"seconds":\([0-9.]*\).*/\1 \2/p' | awk '{ print $1 / $2 }'
}

postgres_lookup_prepare() {
    postgres_sql "CREATE TABLE IF NOT EXISTS bench_lookup (id bigint PRIMARY KEY, value bytea)"
    postgres_sql "INSERT INTO bench_lookup SELECT n, decode(md5(n::text), 'hex') FROM generate_series(1, 100000) AS n
        ON CONFLICT DO NOTHING"
    postgres_sql "VACUUM ANALYZE bench_lookup"
    cat >"$scratch/lookup.sql" <<'SQL'
\set id random(1, 100000)
SELECT value FROM bench_lookup WHERE id = :id;
SQL
}
postgres_lookup_ours() { postgres_rate postgres-lookup; }
postgres_lookup_reference() { pgbench_rate "$scratch/lookup.sql"; }
postgres_lookup_end() { :; }

postgres_insert_prepare() {
    postgres_sql "CREATE TABLE IF NOT EXISTS bench_insert (key bytea PRIMARY KEY, start integer, period smallint,
        trl smallint)"
    # pgbench has no bytes: each key is made of two random numbers, in the same statement and on the server. `rows` is
    # what the arrays of our statement hold.
    {
        local row keys=
        for row in $(seq 14); do
            printf '\\set a%s random(0, 9000000000000000000)\n' "$row"
            printf '\\set b%s random(0, 9000000000000000000)\n' "$row"
            keys="$keys${keys:+, }int8send(:a$row) || int8send(:b$row)"
        done
        printf 'INSERT INTO bench_insert (key, start, period, trl) '
        printf 'SELECT * FROM unnest(ARRAY[%s], ' "$keys"
        printf "'{%s}'::integer[], " "$(seq -s , 2650000 144 2651872)"
        printf "'{%s}'::smallint[], " "$(yes 144 | head -n 14 | paste -sd ,)"
        printf "'{1,2,3,4,5,6,7,8,1,2,3,4,5,6}'::smallint[]) ON CONFLICT DO NOTHING;\n"
    } >"$scratch/insert.sql"
}
# Both start each measurement on an empty table behind a checkpoint.
postgres_insert_reset() { postgres_sql "TRUNCATE bench_insert" && postgres_sql "CHECKPOINT"; }
postgres_insert_ours() { postgres_insert_reset && postgres_rate postgres-insert; }
postgres_insert_reference() { postgres_insert_reset && pgbench_rate "$scratch/insert.sql"; }
postgres_insert_end() { postgres_sql "DROP TABLE bench_insert"; }

# A fold's keys, all at once: the same rows in the same order by psql, which passes on a file.
postgres_copy_rows=500000
postgres_copy_prepare() {
    postgres_sql "CREATE TABLE IF NOT EXISTS bench_copy (hour integer NOT NULL, key bytea NOT NULL, start integer NOT NULL,
        period smallint NOT NULL, trl smallint NOT NULL, onset smallint NOT NULL, report smallint NOT NULL,
        PRIMARY KEY (key, hour))"
    postgres_copy_ours >/dev/null
    postgres_sql "\\copy bench_copy TO '$scratch/rows.copy' (FORMAT binary)"
}
postgres_copy_reset() { postgres_sql "TRUNCATE bench_copy" && postgres_sql "CHECKPOINT"; }
postgres_copy_ours() {
    postgres_copy_reset && taskset -c 1 "$benchmarks" postgres-copy --connection "host=$scratch user=postgres dbname=postgres" \
        --rows "$postgres_copy_rows" | sed -n 's/.*"operations":\([0-9]*\).*"seconds":\([0-9.]*\).*/\1 \2/p' |
        awk '{ print $1 / $2 }'
}
postgres_copy_reference() {
    postgres_copy_reset && taskset -c 1 "$postgres_programs/psql" -X -v ON_ERROR_STOP=1 -h "$scratch" -U postgres -d postgres \
        -c '\timing on' -c "\\copy bench_copy FROM '$scratch/rows.copy' (FORMAT binary)" |
        awk -v rows="$postgres_copy_rows" '$1 == "Time:" { print rows / $2 * 1000 }'
}
postgres_copy_end() { postgres_sql "DROP TABLE bench_copy" && rm -f "$scratch/rows.copy"; }

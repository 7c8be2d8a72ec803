-- Revokes privileges that PostgreSQL gives every role and that no service needs: taking advisory locks under any number,
-- creating large objects, and reading statistics about everybody's tables, connections, transactions and log, which change with
-- each upload. Grants them to the owner of the database instead, with grant option. Run it as a superuser in the suite's
-- database. It can be repeated. Shared/Schema/Common/CatalogGrants.swift has the same text for `vigil-dev up` and
-- `vigil migrate`.
DO $catalog$
DECLARE
    heir name := (SELECT datdba::regrole FROM pg_database WHERE datname = current_database());
    item record;
BEGIN
    FOR item IN
        SELECT 'FUNCTION' AS kind, 'EXECUTE' AS privilege, oid::regprocedure::text AS name
        FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace AND has_function_privilege('public', oid, 'EXECUTE')
          AND proname ~ ('^(pg_(try_)?advisory_|lo_|loread$|lowrite$'
            -- Statistics, and what is there to be counted.
            || '|pg_stat_|pg_.*_size$|pg_relation_file|pg_filenode|pg_.*_old$'
            || '|pg_(lock_status|blocking_pids|safe_snapshot_blocking_pids|isolation_test_session_is_blocked)$'
            || '|pg_prepared_xact$|pg_noti'
            -- Transactions and the write-ahead log.
            || '|txid_(current|status)|pg_(current|last|xact|export|control|logical)_|pg_get_multixact|pg_.*_(wal|slots?)(_|$))')
          -- Sizes of values and of units, not of tables.
          AND proname !~ '^pg_(column_size|size_)'
        UNION ALL
        SELECT 'TABLE', 'SELECT', oid::regclass::text
        FROM pg_class
        WHERE relnamespace = 'pg_catalog'::regnamespace AND has_table_privilege('public', oid, 'SELECT')
          -- pg_class counts rows and pages.
          AND relname ~ '^pg_(stat|locks$|prepared_xacts$|replication_slots$|largeobject|class$)'
    LOOP
        IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
            RAISE insufficient_privilege;
        END IF;
        EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC', item.kind, item.name);
        EXECUTE format('GRANT %s ON %s %s TO %I WITH GRANT OPTION', item.privilege, item.kind, item.name, heir);
    END LOOP;
END
$catalog$;

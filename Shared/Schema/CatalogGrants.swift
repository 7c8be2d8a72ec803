package import Postgres

/// What PostgreSQL itself lets everybody do, and no service needs: to take locks under any number, to make large objects,
/// and to read figures about everybody's tables, connections, transactions and log, which move with a single upload.
package enum CatalogGrants {
    /// Takes it from everybody and gives it to the owner of the database, who may pass it on.
    ///
    /// Only a superuser may; for others it fails with `.insufficientPrivilege`, unless it was done before. These rights belong to
    /// one database. deploy/postgres/catalog.sql has the same text, for the superuser of a database in a container.
    package static let script = Script(
        #"""
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
        """#)

    /// The services for which a request that changes nothing waits for a commit like one that does: a message in the
    /// write-ahead log, which nobody reads, is what they commit then.
    static let messages: Script = #"""
        DO $messages$
        DECLARE
            emit text;
        BEGIN
            FOR emit IN
                SELECT oid::regprocedure FROM pg_proc
                WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = 'pg_logical_emit_message'
                  AND proargtypes[2] = 'text'::regtype
            LOOP
                EXECUTE format(
                    'GRANT EXECUTE ON FUNCTION %s TO vigil_verification, vigil_submission, vigil_push_dispatcher', emit);
            END LOOP;
        END
        $messages$
        """#
}

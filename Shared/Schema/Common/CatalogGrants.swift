package import Postgres

/// Privileges that PostgreSQL gives every role and no service needs.
///
/// They are: taking locks under any number, creating large objects, and reading statistics about all tables, connections,
/// transactions and the log, which change with every single upload.
package enum CatalogGrants {
    /// Revokes these privileges from everybody and grants them to the owner of the database, who may grant them to others.
    ///
    /// It needs a superuser; for others it fails with `.insufficientPrivilege`, unless it has already run. The privileges
    /// belong to one database. deploy/postgres/catalog.sql has the same text, for the superuser of a database in a container; a
    /// test compares the two.
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

    /// Lets a service write an empty message into the write-ahead log, so that a request that changes nothing waits for a
    /// commit like one that does (`SQL.commitMark`). Nobody reads these messages.
    static func commitMark(for role: DatabaseRole) -> Script {
        """
        DO $messages$
        DECLARE
            emit text;
        BEGIN
            FOR emit IN
                SELECT oid::regprocedure FROM pg_proc
                WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = 'pg_logical_emit_message'
                  AND proargtypes[2] = 'text'::regtype
            LOOP
                EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO \(identifier: role.identifier)', emit);
            END LOOP;
        END
        $messages$
        """
    }
}

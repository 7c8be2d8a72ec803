import Postgres

extension Schema {
    /// The schema that all services share: the record of migrations, and common functions.
    static let common = Schema(
        "vigil", roles: [],
        migrations: [
            Migration(
                "no privileges in public", formerly: 1,
                "REVOKE ALL ON SCHEMA public FROM PUBLIC;"),
            Migration(
                "release of advisory locks", formerly: 8,
                #"""
                -- Releases the advisory locks of the session. A session holds its own service's lock and no other.
                CREATE FUNCTION vigil.give_locks_back() RETURNS void
                LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                    SELECT pg_advisory_unlock_all();
                $body$;
                REVOKE ALL ON FUNCTION vigil.give_locks_back() FROM PUBLIC;
                """#),
        ],
        exempt: ["vigil.migration": "records which migrations were applied"])
}

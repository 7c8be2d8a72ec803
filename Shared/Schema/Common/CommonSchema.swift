import Postgres

extension Schema {
    /// The schema that all services share: the record of migrations, and common functions.
    static let common = Schema(
        "vigil", roles: [],
        migrations: [
            Migration(
                "no privileges in public",
                "REVOKE ALL ON SCHEMA public FROM PUBLIC;"),
            Migration(
                "release of advisory locks",
                #"""
                -- Releases the advisory locks of the session. A session holds its own service's lock and no other.
                CREATE FUNCTION vigil.give_locks_back() RETURNS void
                LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                    SELECT pg_advisory_unlock_all();
                $body$;
                REVOKE ALL ON FUNCTION vigil.give_locks_back() FROM PUBLIC;
                """#),
            Migration(
                "epochs of jobs",
                #"""
                -- How often a job's lead was taken. An advisory lock is in one server's memory; this row is replicated, so that whoever led
                -- before a failover learns that somebody else leads now.
                CREATE TABLE vigil.epoch (
                    role name NOT NULL,
                    job text NOT NULL CHECK (length(job) BETWEEN 1 AND 100),
                    epoch bigint NOT NULL,
                    PRIMARY KEY (role, job)
                );

                -- Each role has jobs of its own, and doesn't see those of others.
                CREATE FUNCTION vigil.begin_epoch(job text) RETURNS bigint
                LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                    INSERT INTO vigil.epoch AS known VALUES (session_user, $1, 1)
                    ON CONFLICT ON CONSTRAINT epoch_pkey DO UPDATE SET epoch = known.epoch + 1 RETURNING known.epoch;
                $body$;

                -- True, and a write that a commit waits for, while an epoch is the last one; NULL otherwise.
                CREATE FUNCTION vigil.confirm_epoch(job text, epoch bigint) RETURNS boolean
                LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                    UPDATE vigil.epoch AS known SET epoch = known.epoch
                    WHERE known.role = session_user AND known.job = $1 AND known.epoch = $2 RETURNING true;
                $body$;

                REVOKE ALL ON FUNCTION vigil.begin_epoch(text), vigil.confirm_epoch(text, bigint) FROM PUBLIC;
                """#),
            Migration(
                "country",
                """
                -- What all services of the suite must agree on: a setting and its value.
                CREATE TABLE vigil.country (
                    fact text PRIMARY KEY,
                    value text NOT NULL
                );
                -- Those that have one of the settings.
                GRANT SELECT ON vigil.country TO
                    vigil_verification, vigil_test_results, vigil_submission, vigil_distribution, vigil_federation,
                    vigil_push_dispatcher, vigil_donation_fold, vigil_health_portal;
                """),
        ],
        exempt: [
            "vigil.migration": "records which migrations were applied",
            "vigil.epoch": "one row for each job",
            "vigil.country": "one row for each setting that all services share",
        ])
}

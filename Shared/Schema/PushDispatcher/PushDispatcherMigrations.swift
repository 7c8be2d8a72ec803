import Postgres

extension Migration {
    /// The steps of the schema `push_dispatcher`.
    static let pushDispatcher: [Migration] = [
        Migration(
            "registrations and waves",
            #"""
            CREATE SCHEMA push_dispatcher;
            GRANT USAGE ON SCHEMA push_dispatcher TO vigil_push_dispatcher;

            -- A phone that wants silent pushes. Both hashes are keyed, each with its own key, and the token is sealed, so that
            -- nothing in a row is known anywhere else. Time is the hour of the last renewal. Kept 30 days after it.
            CREATE TABLE push_dispatcher.registration (
                instance_hash bytea PRIMARY KEY CHECK (octet_length(instance_hash) = 32),
                token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
                sealed_token bytea NOT NULL CHECK (octet_length(sealed_token) = 284),
                -- 0: APNs production, 1: Android, which is never pushed to, 2: APNs sandbox.
                kind smallint NOT NULL CHECK (kind BETWEEN 0 AND 2),
                registered_hour integer NOT NULL,
                -- The last answer of APNs for the token: 0 none yet, 1 accepted, 2 refused.
                standing smallint NOT NULL DEFAULT 0 CHECK (standing BETWEEN 0 AND 2)
            ) WITH (fillfactor = 90);
            CREATE INDEX ON push_dispatcher.registration (registered_hour);

            -- A wave of pushes: planned, running or ended. In a running one, `position` is the last registration that is done and
            -- `page_end` the last of the page that is being sent, so that a new leader repeats at most that page. Kept 7 days.
            CREATE TABLE push_dispatcher.wave (
                id bytea PRIMARY KEY CHECK (octet_length(id) = 16),
                planned_at timestamptz NOT NULL,
                started_at timestamptz,
                expires_at timestamptz,
                ended_at timestamptz,
                outcome text CHECK (outcome IN ('finished', 'expired', 'refused', 'breaker')),
                -- Random, of the process that leads the wave. A process that finds another's has lost the wave.
                leader bytea CHECK (octet_length(leader) = 16),
                size integer NOT NULL DEFAULT 0 CHECK (size >= 0),
                position bytea NOT NULL DEFAULT '',
                page_end bytea,
                sent integer NOT NULL DEFAULT 0 CHECK (sent >= 0),
                accepted integer NOT NULL DEFAULT 0 CHECK (accepted >= 0),
                removed integer NOT NULL DEFAULT 0 CHECK (removed >= 0),
                CHECK ((started_at IS NULL) = (expires_at IS NULL)),
                CHECK ((ended_at IS NULL) = (outcome IS NULL)),
                CHECK (ended_at IS NULL OR started_at IS NOT NULL)
            );
            CREATE INDEX ON push_dispatcher.wave (planned_at);
            -- At most one is planned and one runs.
            CREATE UNIQUE INDEX one_planned_wave ON push_dispatcher.wave ((true)) WHERE started_at IS NULL;
            CREATE UNIQUE INDEX one_running_wave ON push_dispatcher.wave ((true))
                WHERE started_at IS NOT NULL AND ended_at IS NULL;

            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA push_dispatcher TO vigil_push_dispatcher;
            """#),

        Migration(
            "wave lock",
            #"""
            -- Held by whoever leads a wave, until it is released or the connection ends.
            CREATE FUNCTION push_dispatcher.take_wave_lock() RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                SELECT pg_advisory_lock(8532464671511281668);
            $body$;
            REVOKE ALL ON FUNCTION push_dispatcher.take_wave_lock() FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION push_dispatcher.take_wave_lock(), vigil.give_locks_back() TO vigil_push_dispatcher;
            """#),

        Migration(
            "epochs of waves",
            """
            GRANT EXECUTE ON FUNCTION vigil.begin_epoch(text), vigil.confirm_epoch(text, bigint) TO vigil_push_dispatcher;
            """),

        Migration(
            "waves that woke nobody",
            """
            ALTER TABLE push_dispatcher.wave DROP CONSTRAINT wave_outcome_check,
                ADD CONSTRAINT wave_outcome_check
                CHECK (outcome IN ('finished', 'unaccepted', 'expired', 'refused', 'breaker'));
            """),
    ]
}

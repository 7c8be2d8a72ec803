import Postgres

extension Migration {
    /// The steps of the schema `venues`.
    static let venues: [Migration] = [
        Migration(
            "venue events",
            #"""
            CREATE SCHEMA venues;
            GRANT USAGE ON SCHEMA venues TO vigil_health_portal, vigil_distribution;

            -- Tracers' entries: somebody infectious was at a venue at a time. The venue is known by its tags only: of a venue with a
            -- seed one for each UTC day, of a venue with a number its SHA-384. Seeds, names and cases are nowhere. Officers are keyed
            -- hashes. Kept 14 days after the end, as phones keep their diaries.
            CREATE TABLE venues.event (
                event_id uuid PRIMARY KEY,
                tags bytea[] NOT NULL,
                -- In intervals of ten minutes since 1970.
                start_interval integer NOT NULL CHECK (start_interval >= 0),
                end_interval integer NOT NULL,
                severity text NOT NULL CHECK (severity IN ('inform', 'test')),
                -- Of the catalogue in Shared/Domain/Venues/VenueEvent.swift.
                message text NOT NULL CHECK (message ~ '^[a-z-]{1,40}$'),
                -- 0: waits for a second person. 1: approved. 2: refused. 3: approved and revoked, a tombstone.
                state smallint NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 3),
                revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),
                author bytea NOT NULL CHECK (octet_length(author) = 32),
                -- Who approved or refused it.
                approver bytea CHECK (octet_length(approver) = 32),
                CHECK (end_interval - start_interval BETWEEN 1 AND 144),
                CONSTRAINT four_eyes CHECK (approver <> author),
                CHECK ((state = 0) = (approver IS NULL)),
                -- Nobody needs the tags of a revoked event any more.
                CHECK (CASE WHEN state = 3 THEN cardinality(tags) = 0
                    ELSE coalesce(
                        octet_length(tags[1]) IN (32, 48) AND cardinality(tags) = 1
                        OR octet_length(tags[1]) = 32 AND octet_length(tags[2]) = 32 AND cardinality(tags) = 2, false) END)
            );
            CREATE INDEX ON venues.event (end_interval);

            -- health-portal enters events that wait; only `decide` changes one.
            GRANT SELECT, DELETE ON venues.event TO vigil_health_portal;
            GRANT INSERT (event_id, tags, start_interval, end_interval, severity, message, author) ON venues.event
                TO vigil_health_portal;

            -- What distribution may know of them.
            CREATE VIEW venues.published_event WITH (security_barrier) AS
            SELECT event_id, tags, start_interval, end_interval, severity, message, revision, state = 3 AS revoked
            FROM venues.event WHERE state IN (1, 3);
            GRANT SELECT ON venues.published_event TO vigil_distribution;

            -- Decides on an event: 1 approves, 2 refuses, 3 revokes. Returns the state afterwards and whether this call changed it; no
            -- row if there is no such event. An event that waits is decided by another person than its author, and changes once.
            CREATE FUNCTION venues.decide(entry uuid, decision smallint, officer bytea)
            RETURNS TABLE (state smallint, changed boolean)
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            #variable_conflict use_column
            DECLARE
                known venues.event;
            BEGIN
                SELECT * INTO known FROM venues.event WHERE event_id = entry FOR UPDATE;
                IF NOT FOUND THEN
                    RETURN;
                END IF;
                IF known.state = 0 AND decision IN (1, 2) AND known.author <> officer THEN
                    UPDATE venues.event SET state = decision, approver = officer WHERE event_id = entry;
                    RETURN QUERY SELECT decision, true;
                ELSIF known.state = 1 AND decision = 3 THEN
                    UPDATE venues.event SET state = 3, tags = '{}', revision = revision + 1 WHERE event_id = entry;
                    RETURN QUERY SELECT decision, true;
                ELSE
                    RETURN QUERY SELECT known.state, false;
                END IF;
            END
            $body$;
            REVOKE ALL ON FUNCTION venues.decide(uuid, smallint, bytea) FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION venues.decide(uuid, smallint, bytea) TO vigil_health_portal;
            """#),

        Migration(
            "trace keys",
            #"""
            -- Trace keys that a health authority uploaded for phones of SwissCovid and NotifyMe: Shared/Formats/TraceKeyFormat. They are
            -- public as soon as their two hours are over. Kept 14 days after their day, as phones keep their diaries.
            CREATE TABLE venues.trace_key (
                identity bytea NOT NULL CHECK (octet_length(identity) = 32),
                secret_key bytea NOT NULL CHECK (octet_length(secret_key) = 48),
                -- Since 1970, UTC.
                day integer NOT NULL CHECK (day >= 0),
                associated_data bytea NOT NULL CHECK (octet_length(associated_data) BETWEEN 16 AND 1024),
                nonce bytea NOT NULL CHECK (octet_length(nonce) = 24),
                -- When it came, in steps of two hours since 1970.
                bucket integer NOT NULL CHECK (bucket >= 0),
                PRIMARY KEY (identity, nonce)
            );
            CREATE INDEX ON venues.trace_key (day);
            GRANT SELECT, INSERT, DELETE ON venues.trace_key TO vigil_health_portal;
            GRANT SELECT ON venues.trace_key TO vigil_distribution;

            -- The tokens that were used, each for one body, as hashes. Kept until none can be valid any more: two to four hours.
            CREATE TABLE venues.trace_key_upload (
                token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
                body_hash bytea NOT NULL CHECK (octet_length(body_hash) = 32),
                bucket integer NOT NULL CHECK (bucket >= 0)
            );
            GRANT SELECT, INSERT, DELETE ON venues.trace_key_upload TO vigil_health_portal;
            """#),
    ]
}

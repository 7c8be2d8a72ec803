import Postgres

extension Migration {
    /// The steps of the schema `distribution`.
    static let distribution: [Migration] = [
        Migration(
            "published hours, bundles, events and signatures",
            #"""
            CREATE SCHEMA distribution;
            GRANT USAGE ON SCHEMA distribution TO vigil_distribution;

            -- How many keys, check-in reports and foreign keys each published hour took: none, or everything that was waiting. Foreign
            -- keys are decided by themselves, so that nobody's keys wait for another country's. Kept 15 days.
            --
            -- A key leaves its packages when it expires. `keys` are those that an hour took and that are left. `first_end` is the
            -- earliest end of their periods, in intervals of ten minutes, and tells when to write packages anew; it stays when
            -- no key is left, and is NULL if the hour took none. The same of foreign keys; `foreign_through` is the last hour of
            -- import that was complete then.
            CREATE TABLE distribution.published_hour (
                hour integer PRIMARY KEY,
                keys integer NOT NULL CHECK (keys >= 0),
                reports integer NOT NULL DEFAULT 0 CHECK (reports >= 0),
                first_end integer,
                -- Seconds from the hour's end until an index named its package; NULL until then.
                published_after integer CHECK (published_after >= 0),
                foreign_keys integer NOT NULL DEFAULT 0 CHECK (foreign_keys >= 0),
                foreign_first_end integer,
                foreign_through integer,
                CHECK (keys = 0 OR first_end IS NOT NULL),
                CHECK (foreign_keys = 0 OR foreign_first_end IS NOT NULL),
                CHECK ((foreign_first_end IS NULL) = (foreign_through IS NULL))
            );

            -- The signature of each digest, so that a package that is built again has the same bytes. Kept for 15 days after it was
            -- last needed: a configuration may stay the same for months.
            CREATE TABLE distribution.signature (
                digest bytea NOT NULL CHECK (octet_length(digest) = 32),
                signing_key bytea NOT NULL CHECK (octet_length(signing_key) = 32),
                signature bytea NOT NULL,
                used_at timestamptz NOT NULL,
                PRIMARY KEY (digest, signing_key)
            );
            CREATE INDEX ON distribution.signature (used_at);

            -- How many venue reports the bundle has that begins with an hour. It is written down before the bundle is, and never
            -- changes; a bundle whose reports are gone can't be built again. Kept 15 days.
            CREATE TABLE distribution.published_venue_bundle (
                first_hour integer PRIMARY KEY,
                reports integer NOT NULL CHECK (reports >= 0)
            );

            -- The approved venue events for which phones were woken, and when, so that one wave is for many. Kept 15 days: an event is
            -- gone 14 days after its end.
            CREATE TABLE distribution.announced_event (
                event_id uuid PRIMARY KEY,
                announced_at timestamptz NOT NULL
            );

            GRANT SELECT, INSERT, DELETE ON ALL TABLES IN SCHEMA distribution TO vigil_distribution;
            GRANT UPDATE (keys, first_end, published_after, foreign_keys, foreign_first_end) ON distribution.published_hour
                TO vigil_distribution;
            GRANT UPDATE (used_at) ON distribution.signature TO vigil_distribution;

            -- Held by whoever publishes, until it is released or the connection ends. Advisory locks have one space of numbers
            -- for all roles, so no role may choose a number: each may only call the function that takes its own lock.
            CREATE FUNCTION distribution.take_publishing_lock() RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                SELECT pg_advisory_lock(8532464671511281667);
            $body$;
            REVOKE ALL ON FUNCTION distribution.take_publishing_lock() FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION distribution.take_publishing_lock(), vigil.give_locks_back(), vigil.begin_epoch(text),
                vigil.confirm_epoch(text, bigint) TO vigil_distribution;

            -- federation sends other countries what is published at home.
            GRANT USAGE ON SCHEMA distribution TO vigil_federation;
            GRANT SELECT (hour, first_end) ON distribution.published_hour TO vigil_federation;
            """#),
        Migration(
            "record of what was published",
            #"""
            -- What was last written to each place of the published tree: recorded before it is written, forgotten after it was removed.
            -- So a package leaves at its time also if the store doesn't list it, and one that was altered in place is found. Whatever
            -- it names is public.
            CREATE TABLE distribution.published_object (
                path text PRIMARY KEY,
                size bigint NOT NULL CHECK (size >= 0),
                -- Detects changes, as stores list it; NULL of a file that was there before there was a record.
                md5 text CHECK (md5 ~ '^[0-9a-f]{32}$')
            );
            GRANT SELECT, INSERT, DELETE, UPDATE (size, md5) ON distribution.published_object TO vigil_distribution;
            """#),
    ]
}

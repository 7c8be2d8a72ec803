import Postgres

extension Migration {
    /// The steps of the schema `further`.
    static let further: [Migration] = [
        Migration(
            "health reports and keys",
            #"""
            CREATE SCHEMA further;
            GRANT USAGE ON SCHEMA further TO vigil_further;

            -- Hours and days are numbers since 1970, UTC. `written_hour` is the hour in which a row was written, until the rows of that hour
            -- are written again in the order of their content: then it is NULL, and nothing says which rows came together.

            -- Answers of people who are positive, under the ids that their phones showed. Kept 14 days after the last update.
            CREATE TABLE further.report (
                id uuid PRIMARY KEY,
                feeling_sick boolean NOT NULL,
                has_been_tested boolean NOT NULL,
                -- In seconds since 1970; whole hours once the row is written again, because reports that came together say the same second.
                last_update bigint NOT NULL CHECK (last_update >= 0),
                -- The hour of the first answer that was positive.
                positive_since integer NOT NULL,
                -- In seconds since 1970: from when the row is published; 0 for at once. Rows of a batch come at different times, so that
                -- nobody sees which ids are one person's.
                release_at bigint NOT NULL CHECK (release_at >= 0),
                -- From when a row that a batch took back isn't published any more; NULL unless one did. The same, for going.
                withdrawn_at bigint,
                -- A keyed hash of id and key if a key owns the row; another one for each id, so that no two rows show one owner.
                holder bytea CHECK (octet_length(holder) = 32),
                written_hour integer
            );

            -- Public keys of apps (X9.63) under the first half of their SHA-256. Kept 30 days after the last use.
            CREATE TABLE further.key (
                key bytea PRIMARY KEY CHECK (octet_length(key) = 16),
                public_key bytea NOT NULL CHECK (octet_length(public_key) = 65),
                used_day integer NOT NULL,
                written_hour integer
            );

            -- Nonces of signed calls, as keyed hashes with their key. Kept for an hour, longer than a signature is accepted.
            CREATE TABLE further.nonce (
                hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
                hour integer NOT NULL
            );

            GRANT SELECT, INSERT, UPDATE, DELETE ON further.report, further.key TO vigil_further;
            GRANT SELECT, INSERT, DELETE ON further.nonce TO vigil_further;

            -- Held until the end of the transaction by whoever writes reports: so of two first reports for an id one is the first.
            CREATE FUNCTION further.take_report_lock() RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                SELECT pg_advisory_xact_lock(8532464671511281673);
            $body$;

            -- Held by whoever builds the lists, until it is released or the connection ends.
            CREATE FUNCTION further.take_list_lock() RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                SELECT pg_advisory_lock(8532464671511281674);
            $body$;

            REVOKE ALL ON FUNCTION further.take_report_lock(), further.take_list_lock() FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION further.take_report_lock(), further.take_list_lock(), vigil.give_locks_back()
                TO vigil_further;
            """#),
        Migration(
            "calls of nonces",
            #"""
            -- A keyed hash of the call that used the nonce: the same call once more is answered alike, another one is refused. NULL in rows of
            -- a release that refused both.
            ALTER TABLE further.nonce ADD COLUMN call bytea CHECK (octet_length(call) = 32);
            """#),

        Migration(
            "epochs of lists",
            """
            GRANT EXECUTE ON FUNCTION vigil.begin_epoch(text), vigil.confirm_epoch(text, bigint) TO vigil_further;
            """),
    ]
}

import Postgres

extension Migration {
    /// The steps of the schema `federation`.
    static let federation: [Migration] = [
        Migration(
            "batches",
            #"""
            CREATE SCHEMA federation;
            GRANT USAGE ON SCHEMA federation TO vigil_federation;

            -- The slots that were decided, each by its last hour: it took none of the keys that waited, or all that were released at
            -- home until `through`. Kept 15 days.
            CREATE TABLE federation.shared_slot (
                gateway text NOT NULL CHECK (gateway ~ '^[a-z0-9-]{1,16}$'),
                hour integer NOT NULL,
                keys integer NOT NULL CHECK (keys >= 0),
                through integer,
                PRIMARY KEY (gateway, hour),
                CHECK (keys = 0 OR through IS NOT NULL)
            );

            -- Home keys of the stream for other countries, as they leave. A row changes only together with its content, so that a batch
            -- that is repeated has the same bytes. `content` is a DiagnosisKeyBatch, and gone when the batch has arrived.
            -- waiting: to be sent at `due_at`. carried: too few of a batch that came back; they join the next slot's. refused: by the
            -- gateway, for `reason`; sent again on command. Kept 15 days.
            CREATE TABLE federation.outgoing_batch (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                gateway text NOT NULL CHECK (gateway ~ '^[a-z0-9-]{1,16}$'),
                tag text NOT NULL CHECK (tag ~ '^[A-Za-z0-9._-]{1,64}$'),
                hour integer NOT NULL,
                keys integer NOT NULL CHECK (keys > 0),
                content bytea,
                state text NOT NULL CHECK (state IN ('waiting', 'carried', 'refused', 'delivered')),
                reason text CHECK (reason ~ '^[a-z0-9_]{1,40}$'),
                attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
                due_at timestamptz NOT NULL,
                changed_at timestamptz NOT NULL,
                UNIQUE (gateway, tag),
                CHECK ((content IS NULL) = (state = 'delivered'))
            );
            CREATE INDEX ON federation.outgoing_batch (due_at) WHERE state = 'waiting';

            -- Other countries' batches. announced: known, not yet read. imported: every upload in it was verified. partial: some were.
            -- quarantined: nothing of it was used, for `reason`. gone: the gateway doesn't have it any more. Kept 15 days.
            CREATE TABLE federation.incoming_batch (
                gateway text NOT NULL CHECK (gateway ~ '^[a-z0-9-]{1,16}$'),
                tag text NOT NULL CHECK (tag ~ '^[A-Za-z0-9._-]{1,64}$'),
                -- The gateway's day, since 1970.
                day integer NOT NULL,
                state text NOT NULL DEFAULT 'announced'
                    CHECK (state IN ('announced', 'imported', 'partial', 'quarantined', 'gone')),
                reason text CHECK (reason ~ '^[a-z0-9_]{1,40}$'),
                -- The batch after it, once the gateway has named one.
                next_tag text CHECK (next_tag ~ '^[A-Za-z0-9._-]{1,64}$'),
                keys integer NOT NULL DEFAULT 0 CHECK (keys >= 0),
                imported integer NOT NULL DEFAULT 0 CHECK (imported BETWEEN 0 AND keys),
                attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
                announced_at timestamptz NOT NULL,
                due_at timestamptz NOT NULL,
                changed_at timestamptz NOT NULL,
                PRIMARY KEY (gateway, tag)
            );
            CREATE INDEX ON federation.incoming_batch (gateway, day);
            CREATE INDEX ON federation.incoming_batch (due_at) WHERE state = 'announced';

            -- The uploads in a batch, as the audit found them: verified, own, or why not.
            CREATE TABLE federation.audited_upload (
                gateway text NOT NULL,
                tag text NOT NULL,
                number integer NOT NULL CHECK (number > 0),
                country text CHECK (country ~ '^[A-Z]{2}$'),
                keys integer NOT NULL CHECK (keys >= 0),
                outcome text NOT NULL CHECK (outcome ~ '^[a-z0-9_]{1,40}$'),
                PRIMARY KEY (gateway, tag, number),
                FOREIGN KEY (gateway, tag) REFERENCES federation.incoming_batch ON DELETE CASCADE
            );

            -- Keys of a batch that were not imported, by reason.
            CREATE TABLE federation.left_out (
                gateway text NOT NULL,
                tag text NOT NULL,
                reason text NOT NULL CHECK (reason ~ '^[a-z0-9_]{1,40}$'),
                keys integer NOT NULL CHECK (keys > 0),
                PRIMARY KEY (gateway, tag, reason),
                FOREIGN KEY (gateway, tag) REFERENCES federation.incoming_batch ON DELETE CASCADE
            );

            -- Held by whoever sends to gateways or reads from them, until it is released or the connection ends. Each gateway has its own.
            CREATE FUNCTION federation.take_upload_lock(gateway text) RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                SELECT pg_advisory_lock(hashtextextended('vigil federation upload ' || gateway, 8532464671511281671));
            $body$;
            CREATE FUNCTION federation.take_download_lock(gateway text) RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                SELECT pg_advisory_lock(hashtextextended('vigil federation download ' || gateway, 8532464671511281672));
            $body$;
            REVOKE ALL ON FUNCTION federation.take_upload_lock(text), federation.take_download_lock(text) FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION federation.take_upload_lock(text), federation.take_download_lock(text),
                vigil.give_locks_back() TO vigil_federation;

            GRANT SELECT, INSERT, DELETE ON federation.shared_slot TO vigil_federation;
            GRANT SELECT, INSERT, UPDATE, DELETE ON federation.outgoing_batch, federation.incoming_batch TO vigil_federation;
            GRANT SELECT, INSERT, DELETE ON federation.audited_upload, federation.left_out TO vigil_federation;
            """#),

        Migration(
            "epochs of exchanges",
            """
            GRANT EXECUTE ON FUNCTION vigil.begin_epoch(text), vigil.confirm_epoch(text, bigint) TO vigil_federation;
            """),

        Migration(
            "what the gateway says",
            #"""
            -- The gateway's own words about the last attempt.
            ALTER TABLE federation.outgoing_batch ADD COLUMN answer text CHECK (answer ~ '^[ -~]{1,200}$');
            ALTER TABLE federation.incoming_batch ADD COLUMN answer text CHECK (answer ~ '^[ -~]{1,200}$');

            -- What failed when it was last tried, and belongs to no batch: looking for batches, and the callback. Kept 15 days.
            CREATE TABLE federation.failing_call (
                gateway text NOT NULL CHECK (gateway ~ '^[a-z0-9-]{1,16}$'),
                call text NOT NULL CHECK (call IN ('look', 'callback')),
                reason text NOT NULL CHECK (reason ~ '^[a-z0-9_]{1,40}$'),
                answer text CHECK (answer ~ '^[ -~]{1,200}$'),
                since timestamptz NOT NULL,
                failed_at timestamptz NOT NULL,
                PRIMARY KEY (gateway, call)
            );
            GRANT SELECT, INSERT, UPDATE, DELETE ON federation.failing_call TO vigil_federation;
            """#),
    ]
}

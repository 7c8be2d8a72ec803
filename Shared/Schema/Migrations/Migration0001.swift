import Postgres

extension Migration {
    /// The first schema: one PostgreSQL schema and one role per service, and who may read what.
    static let first = Migration(
        1, "verification, test results, submission, distribution",
        #"""
        -- Nothing is anybody's by default.
        REVOKE ALL ON SCHEMA public FROM PUBLIC;

        CREATE SCHEMA test_results;
        CREATE SCHEMA verification;
        CREATE SCHEMA submission;
        CREATE SCHEMA distribution;
        GRANT USAGE ON SCHEMA test_results TO vigil_test_results;
        GRANT USAGE ON SCHEMA verification TO vigil_verification;
        GRANT USAGE ON SCHEMA submission TO vigil_submission;
        GRANT USAGE ON SCHEMA distribution TO vigil_distribution;

        -- ---------------------------------------------------------------- test results
        -- What a lab posted, under the hashed GUID. Kept 60 days.
        CREATE TABLE test_results.result (
            id text PRIMARY KEY CHECK (length(id) = 64),
            code smallint NOT NULL CHECK (code BETWEEN 0 AND 14),
            sample_collected integer NOT NULL,
            lab_id text CHECK (length(lab_id) <= 64),
            created_at timestamptz NOT NULL
        );
        CREATE INDEX ON test_results.result (created_at);
        GRANT SELECT, INSERT, UPDATE, DELETE ON test_results.result TO vigil_test_results;

        -- ---------------------------------------------------------------- verification
        -- A registered test: the digest of the token, and how to ask for the result. Kept 21 days.
        CREATE TABLE verification.session (
            token_digest bytea PRIMARY KEY CHECK (octet_length(token_digest) = 32),
            hashed_guid text CHECK (length(hashed_guid) = 64),
            teletan_kind text CHECK (teletan_kind IN ('TEST', 'EVENT')),
            tan_count smallint NOT NULL DEFAULT 0,
            created_at timestamptz NOT NULL,
            CHECK ((hashed_guid IS NULL) <> (teletan_kind IS NULL))
        );
        CREATE INDEX ON verification.session (created_at);

        -- That a GUID was registered, for as long as the test result server could still answer for it (60 days and a
        -- session's 21, and one day to spare): otherwise a second upload privilege could be fetched.
        CREATE TABLE verification.registered_guid (
            guid_digest bytea PRIMARY KEY CHECK (octet_length(guid_digest) = 32),
            created_at timestamptz NOT NULL
        );
        CREATE INDEX ON verification.registered_guid (created_at);

        -- A teleTAN as a keyed hash. It opens one session.
        CREATE TABLE verification.tele_tan (
            digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
            kind text NOT NULL CHECK (kind IN ('TEST', 'EVENT')),
            redeemed boolean NOT NULL DEFAULT false,
            created_at timestamptz NOT NULL,
            expires_at timestamptz NOT NULL
        );
        CREATE INDEX ON verification.tele_tan (created_at);
        CREATE INDEX ON verification.tele_tan (expires_at);

        -- A TAN as a digest. The tag names the one upload it serves; nothing names the session it came from.
        CREATE TABLE verification.tan (
            digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
            kind text CHECK (kind IN ('TEST', 'EVENT')),
            tag bytea CHECK (octet_length(tag) = 32),
            confirmed_at timestamptz,
            expires_at timestamptz NOT NULL,
            CHECK (confirmed_at IS NULL OR tag IS NOT NULL)
        );
        CREATE INDEX ON verification.tan (expires_at);
        CREATE INDEX ON verification.tan (confirmed_at) WHERE confirmed_at IS NOT NULL;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA verification TO vigil_verification;

        -- ---------------------------------------------------------------- submission
        -- The public halves of the hour keys. `closed` is set before the fold reads the inbox, and no upload can be
        -- sealed to a closed hour.
        CREATE TABLE submission.hour_key (
            hour integer PRIMARY KEY,
            public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
            closed boolean NOT NULL DEFAULT false
        );

        -- One sealed row per upload, no time but the hour. Emptied by the fold.
        CREATE TABLE submission.inbox (
            tag bytea PRIMARY KEY CHECK (octet_length(tag) = 32),
            hour integer NOT NULL,
            sealed bytea NOT NULL
        );
        CREATE INDEX ON submission.inbox (hour);

        -- The hours that were folded. The latest says how far distribution may publish. Kept 15 days.
        CREATE TABLE submission.folded_hour (
            hour integer PRIMARY KEY,
            keys integer NOT NULL CHECK (keys >= 0)
        );

        -- The folded keys, a partition per day of upload. Kept 14 days.
        CREATE TABLE submission.diagnosis_key (
            hour integer NOT NULL,
            key_data bytea NOT NULL CHECK (octet_length(key_data) = 16),
            rolling_start integer NOT NULL CHECK (rolling_start > 0),
            rolling_period smallint NOT NULL CHECK (rolling_period BETWEEN 1 AND 144),
            transmission_risk_level smallint NOT NULL CHECK (transmission_risk_level BETWEEN 1 AND 8),
            days_since_onset smallint NOT NULL CHECK (days_since_onset BETWEEN -15 AND 4000),
            report_type smallint NOT NULL CHECK (report_type BETWEEN 0 AND 5),
            PRIMARY KEY (key_data, hour)
        ) PARTITION BY RANGE (hour);

        -- The submission role owns nothing; these two functions are all the DDL it can cause.
        CREATE FUNCTION submission.ensure_day(day integer) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        BEGIN
            IF to_regclass(format('submission.diagnosis_key_%s', day)) IS NULL THEN
                EXECUTE format(
                    'CREATE TABLE submission.diagnosis_key_%s PARTITION OF submission.diagnosis_key '
                    'FOR VALUES FROM (%s) TO (%s)', day, day * 24, day * 24 + 24);
            END IF;
        END
        $body$;

        CREATE FUNCTION submission.drop_days_before(first_kept integer) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            partition record;
            dropped integer := 0;
        BEGIN
            FOR partition IN
                SELECT relname FROM pg_inherits
                JOIN pg_class ON pg_class.oid = inhrelid
                WHERE inhparent = 'submission.diagnosis_key'::regclass
                  AND substring(relname FROM '[0-9]+$')::integer < first_kept
            LOOP
                EXECUTE format('DROP TABLE submission.%I', partition.relname);
                dropped := dropped + 1;
            END LOOP;
            RETURN dropped;
        END
        $body$;
        REVOKE ALL ON FUNCTION submission.ensure_day(integer), submission.drop_days_before(integer) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION submission.ensure_day(integer), submission.drop_days_before(integer)
            TO vigil_submission;
        GRANT SELECT, INSERT, UPDATE, DELETE ON submission.hour_key, submission.inbox TO vigil_submission;
        GRANT SELECT, INSERT, DELETE ON submission.folded_hour TO vigil_submission;
        GRANT SELECT, INSERT ON submission.diagnosis_key TO vigil_submission;

        -- The one arrow between schemas: distribution reads folded keys.
        GRANT USAGE ON SCHEMA submission TO vigil_distribution;
        GRANT SELECT ON submission.diagnosis_key, submission.folded_hour TO vigil_distribution;

        -- ---------------------------------------------------------------- distribution
        -- How many keys each published hour took: 0, or everything that was waiting. Kept 15 days.
        CREATE TABLE distribution.published_hour (
            hour integer PRIMARY KEY,
            keys integer NOT NULL CHECK (keys >= 0)
        );

        -- One signature per digest, kept, so that building a package again gives the same bytes. Kept 15 days.
        CREATE TABLE distribution.signature (
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            signing_key bytea NOT NULL CHECK (octet_length(signing_key) = 32),
            signature bytea NOT NULL,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (digest, signing_key)
        );
        CREATE INDEX ON distribution.signature (created_at);
        GRANT SELECT, INSERT, DELETE ON ALL TABLES IN SCHEMA distribution TO vigil_distribution;
        """#)
}

import Postgres

extension Migration {
    /// The steps of the schema `submission`.
    static let submission: [Migration] = [
        Migration(
            "inbox, folded keys and reports",
            #"""
            CREATE SCHEMA submission;
            GRANT USAGE ON SCHEMA submission TO vigil_submission, vigil_fold, vigil_distribution, vigil_federation;

            -- The public halves of the hour keys, which the fold alone makes and closes; nobody replaces one. `closed` is set before the
            -- fold reads the inbox; no upload can be sealed to a closed hour. Kept 15 days.
            CREATE TABLE submission.hour_key (
                hour integer PRIMARY KEY,
                public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
                closed boolean NOT NULL DEFAULT false
            );

            -- One sealed row per upload, with no time but the hour. Emptied by the fold. Nobody fills the memory of the fold.
            --
            -- A row of common size, some 3,500 bytes that can't be compressed, is kept in one piece, so that writing it touches one page,
            -- and deleting it leaves nothing in another table. A large one, some 27,300 bytes, doesn't fit into a page. The tag is
            -- plain: otherwise it would be moved out to make room.
            CREATE TABLE submission.inbox (
                tag bytea PRIMARY KEY CHECK (octet_length(tag) = 32),
                hour integer NOT NULL,
                sealed bytea NOT NULL CHECK (octet_length(sealed) <= 27308)
            ) WITH (toast_tuple_target = 4096);
            ALTER TABLE submission.inbox ALTER COLUMN sealed SET STORAGE EXTERNAL, ALTER COLUMN tag SET STORAGE PLAIN;
            CREATE INDEX ON submission.inbox (hour);

            -- The hours that were folded. distribution may publish up to the latest. Kept 15 days.
            CREATE TABLE submission.folded_hour (
                hour integer PRIMARY KEY,
                keys integer NOT NULL CHECK (keys >= 0)
            );

            -- The folded keys. A key goes with the partition of the day on which it was in use, whenever it was uploaded: 14 days after
            -- that day's end. Rows that are deleted one by one would stay in the files.
            CREATE TABLE submission.diagnosis_key (
                hour integer NOT NULL,
                key_data bytea NOT NULL CHECK (octet_length(key_data) = 16),
                rolling_start integer NOT NULL CHECK (rolling_start > 0),
                rolling_period smallint NOT NULL CHECK (rolling_period BETWEEN 1 AND 144),
                transmission_risk_level smallint NOT NULL CHECK (transmission_risk_level BETWEEN 1 AND 8),
                days_since_onset smallint NOT NULL CHECK (days_since_onset BETWEEN -15 AND 4000),
                report_type smallint NOT NULL CHECK (report_type BETWEEN 0 AND 5),
                -- Whether a key is of the stream that other countries get: keys of people who agreed, and fillers.
                is_federated boolean NOT NULL DEFAULT false,
                PRIMARY KEY (key_data, rolling_start)
            ) PARTITION BY RANGE (rolling_start);
            -- Rows come hour by hour, so that distribution finds those of an hour in a few pages of each partition.
            CREATE INDEX ON submission.diagnosis_key USING brin (hour);

            -- The folded check-in reports, a partition per day of upload. Kept 14 days.
            CREATE TABLE submission.check_in_report (
                hour integer NOT NULL,
                location_id_hash bytea NOT NULL CHECK (octet_length(location_id_hash) = 32),
                initialization_vector bytea NOT NULL CHECK (octet_length(initialization_vector) = 16),
                encrypted_record bytea NOT NULL CHECK (octet_length(encrypted_record) = 16),
                authentication_code bytea NOT NULL CHECK (octet_length(authentication_code) = 32)
            ) PARTITION BY RANGE (hour);
            CREATE INDEX ON submission.check_in_report (hour);

            -- Folded reports about venues in Apple's form, a partition per day of upload. Kept 14 days.
            CREATE TABLE submission.venue_report (
                hour integer NOT NULL,
                report bytea NOT NULL CHECK (octet_length(report) = 57)
            ) PARTITION BY RANGE (hour);
            CREATE INDEX ON submission.venue_report (hour);

            -- The fold owns no table; these two functions are the only way in which it creates and drops any.
            -- The partitions for what is folded on a day: its reports, and keys of the 14 days before and of the day itself.
            CREATE FUNCTION submission.ensure_day(day integer) RETURNS void
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            DECLARE
                reports text;
                key_day integer;
            BEGIN
                FOREACH reports IN ARRAY ARRAY['check_in_report', 'venue_report'] LOOP
                    IF to_regclass(format('submission.%s_%s', reports, day)) IS NULL THEN
                        EXECUTE format(
                            'CREATE TABLE submission.%s_%s PARTITION OF submission.%s FOR VALUES FROM (%s) TO (%s)',
                            reports, day, reports, day * 24, day * 24 + 24);
                    END IF;
                END LOOP;
                FOR key_day IN greatest(day - 14, 0)..day LOOP
                    IF to_regclass(format('submission.diagnosis_key_%s', key_day)) IS NULL THEN
                        EXECUTE format(
                            'CREATE TABLE submission.diagnosis_key_%s PARTITION OF submission.diagnosis_key '
                            'FOR VALUES FROM (%s) TO (%s)', key_day, key_day * 144, key_day * 144 + 144);
                    END IF;
                END LOOP;
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
                    WHERE inhparent IN ('submission.diagnosis_key'::regclass, 'submission.check_in_report'::regclass,
                        'submission.venue_report'::regclass)
                      AND substring(relname FROM '[0-9]+$')::integer < first_kept
                LOOP
                    EXECUTE format('DROP TABLE submission.%I', partition.relname);
                    dropped := dropped + 1;
                END LOOP;
                RETURN dropped;
            END
            $body$;

            -- For the key of a day on which it was uploaded: its period ended before the day did.
            CREATE FUNCTION submission.delete_keys_ended_before(first_kept integer) RETURNS integer
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            DECLARE
                deleted integer;
            BEGIN
                DELETE FROM submission.diagnosis_key
                WHERE rolling_start < first_kept AND rolling_start + rolling_period < first_kept;
                GET DIAGNOSTICS deleted = ROW_COUNT;
                RETURN deleted;
            END
            $body$;

            -- Held until the end of the transaction by whoever makes keys, closes hours or folds.
            CREATE FUNCTION submission.take_fold_lock() RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                SELECT pg_advisory_xact_lock(8532464671511281666);
            $body$;

            -- The only way in which submission-server adds to the inbox. It stores uploads that are sealed to the key of an open hour,
            -- except those whose tag is there already, and returns whether the key is that of an open hour. The share lock keeps the
            -- hour open until the transaction ends.
            CREATE FUNCTION submission.store_uploads(sealed_in integer, sealed_to bytea, tags bytea[], uploads bytea[])
            RETURNS boolean
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            BEGIN
                PERFORM FROM submission.hour_key
                WHERE hour = sealed_in AND public_key = sealed_to AND NOT closed FOR SHARE;
                IF NOT FOUND THEN
                    RETURN false;
                END IF;
                -- In the order of their tags, so that two sessions that store the same tags don't wait for each other in a cycle.
                INSERT INTO submission.inbox (tag, hour, sealed)
                SELECT upload.tag, sealed_in, upload.sealed FROM unnest(tags, uploads) AS upload (tag, sealed)
                ORDER BY upload.tag
                ON CONFLICT DO NOTHING;
                RETURN true;
            END
            $body$;

            REVOKE ALL ON FUNCTION submission.ensure_day(integer), submission.drop_days_before(integer),
                submission.delete_keys_ended_before(integer), submission.take_fold_lock(),
                submission.store_uploads(integer, bytea, bytea[], bytea[]) FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION submission.store_uploads(integer, bytea, bytea[], bytea[]) TO vigil_submission;
            GRANT SELECT ON submission.hour_key TO vigil_submission;

            GRANT EXECUTE ON FUNCTION submission.ensure_day(integer), submission.drop_days_before(integer),
                submission.delete_keys_ended_before(integer), submission.take_fold_lock() TO vigil_fold;
            GRANT SELECT, INSERT, DELETE, UPDATE (closed) ON submission.hour_key TO vigil_fold;
            GRANT SELECT, DELETE ON submission.inbox TO vigil_fold;
            GRANT SELECT, INSERT, DELETE ON submission.folded_hour TO vigil_fold;
            GRANT SELECT, INSERT ON submission.diagnosis_key, submission.check_in_report, submission.venue_report TO vigil_fold;

            -- distribution reads what was folded, and doesn't know which keys are for other countries.
            GRANT SELECT ON submission.folded_hour, submission.check_in_report, submission.venue_report TO vigil_distribution;
            GRANT SELECT (
                hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type
            ) ON submission.diagnosis_key TO vigil_distribution;

            -- federation sends keys of the stream for other countries, without their report type and days since onset.
            GRANT SELECT (
                hour, key_data, rolling_start, rolling_period, transmission_risk_level, is_federated
            ) ON submission.diagnosis_key TO vigil_federation;
            """#)
    ]
}

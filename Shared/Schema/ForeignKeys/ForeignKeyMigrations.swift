import Postgres

extension Migration {
    /// The steps of the schema `foreign_keys`.
    static let foreignKeys: [Migration] = [
        Migration(
            "keys of other countries",
            #"""
            CREATE SCHEMA foreign_keys;
            GRANT USAGE ON SCHEMA foreign_keys TO vigil_federation, vigil_distribution, vigil_fold;

            -- Keys whose country signed them, with the hour in which they were imported. They go 14 days after their period, at the latest
            -- with the partition of the day on which it began. A key is there once, whichever country sent it first.
            CREATE TABLE foreign_keys.diagnosis_key (
                hour integer NOT NULL,
                key_data bytea NOT NULL CHECK (octet_length(key_data) = 16),
                rolling_start integer NOT NULL CHECK (rolling_start > 0),
                rolling_period smallint NOT NULL CHECK (rolling_period BETWEEN 1 AND 144),
                transmission_risk_level smallint NOT NULL CHECK (transmission_risk_level BETWEEN 1 AND 8),
                days_since_onset smallint NOT NULL CHECK (days_since_onset BETWEEN -15 AND 4000),
                report_type smallint NOT NULL CHECK (report_type BETWEEN 0 AND 5),
                origin text NOT NULL CHECK (origin ~ '^[A-Z]{2}$'),
                -- The countries in which the person was, without a separator, in alphabetical order.
                visited text NOT NULL CHECK (visited ~ '^([A-Z]{2})*$'),
                PRIMARY KEY (key_data, rolling_start)
            ) PARTITION BY RANGE (rolling_start);
            CREATE INDEX ON foreign_keys.diagnosis_key USING brin (hour);

            -- The hours after which no key is added to them any more. distribution may publish up to the latest. Kept 15 days.
            CREATE TABLE foreign_keys.imported_hour (
                hour integer PRIMARY KEY
            );

            -- The service owns no table; these functions are the only way in which it creates and drops any, and deletes keys.
            CREATE FUNCTION foreign_keys.ensure_day(day integer) RETURNS void
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            DECLARE
                key_day integer;
            BEGIN
                FOR key_day IN greatest(day - 14, 0)..day LOOP
                    IF to_regclass(format('foreign_keys.diagnosis_key_%s', key_day)) IS NULL THEN
                        EXECUTE format(
                            'CREATE TABLE foreign_keys.diagnosis_key_%s PARTITION OF foreign_keys.diagnosis_key '
                            'FOR VALUES FROM (%s) TO (%s)', key_day, key_day * 144, key_day * 144 + 144);
                    END IF;
                END LOOP;
            END
            $body$;

            CREATE FUNCTION foreign_keys.drop_days_before(first_kept integer) RETURNS integer
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            DECLARE
                partition record;
                dropped integer := 0;
            BEGIN
                FOR partition IN
                    SELECT relname FROM pg_inherits
                    JOIN pg_class ON pg_class.oid = inhrelid
                    WHERE inhparent = 'foreign_keys.diagnosis_key'::regclass
                      AND substring(relname FROM '[0-9]+$')::integer < first_kept
                LOOP
                    EXECUTE format('DROP TABLE foreign_keys.%I', partition.relname);
                    dropped := dropped + 1;
                END LOOP;
                RETURN dropped;
            END
            $body$;

            -- For a key whose period ended before the day did.
            CREATE FUNCTION foreign_keys.delete_keys_ended_before(first_kept integer) RETURNS integer
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            DECLARE
                deleted integer;
            BEGIN
                DELETE FROM foreign_keys.diagnosis_key
                WHERE rolling_start < first_kept AND rolling_start + rolling_period < first_kept;
                GET DIAGNOSTICS deleted = ROW_COUNT;
                RETURN deleted;
            END
            $body$;

            -- Held until the end of the transaction by whoever imports keys or ends hours.
            CREATE FUNCTION foreign_keys.take_import_lock() RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                SELECT pg_advisory_xact_lock(8532464671511281670);
            $body$;
            REVOKE ALL ON FUNCTION foreign_keys.ensure_day(integer), foreign_keys.drop_days_before(integer),
                foreign_keys.delete_keys_ended_before(integer), foreign_keys.take_import_lock() FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION foreign_keys.ensure_day(integer), foreign_keys.drop_days_before(integer),
                foreign_keys.delete_keys_ended_before(integer), foreign_keys.take_import_lock() TO vigil_federation;

            GRANT SELECT, INSERT ON foreign_keys.diagnosis_key TO vigil_federation;
            GRANT SELECT, INSERT, DELETE ON foreign_keys.imported_hour TO vigil_federation;
            GRANT SELECT ON foreign_keys.diagnosis_key, foreign_keys.imported_hour TO vigil_distribution;
            GRANT SELECT (key_data) ON foreign_keys.diagnosis_key TO vigil_fold;
            """#),
        Migration(
            "the fold waits for imports",
            #"""
            -- Takes the import lock until the end of the transaction, so that an import and a fold that have the same key see each other's.
            -- A federation that never lets go of it must not stop the fold, which goes on after ten seconds: then a key may be published
            -- twice.
            CREATE FUNCTION foreign_keys.wait_for_imports() RETURNS void
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $body$
            BEGIN
                PERFORM foreign_keys.take_import_lock();
            EXCEPTION WHEN lock_not_available THEN
                NULL;
            END
            $body$;
            REVOKE ALL ON FUNCTION foreign_keys.wait_for_imports() FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION foreign_keys.wait_for_imports() TO vigil_fold;
            """#),
    ]
}

import Postgres

extension Migration {
    /// Check-in reports, and an inbox whose rows have room for them.
    static let checkInReports = Migration(
        4, "check-in reports",
        #"""
        -- A row of the inbox has room for the largest upload: some 3,500 bytes that can't be compressed. It is kept in one
        -- piece, so that writing it touches one page and deleting it leaves nothing in another table. That takes both columns:
        -- else the tag would be moved out to make room.
        ALTER TABLE submission.inbox ALTER COLUMN sealed SET STORAGE PLAIN, ALTER COLUMN tag SET STORAGE PLAIN;

        -- The folded check-in reports, a partition per day of upload. Kept 14 days.
        CREATE TABLE submission.check_in_report (
            hour integer NOT NULL,
            location_id_hash bytea NOT NULL CHECK (octet_length(location_id_hash) = 32),
            initialization_vector bytea NOT NULL CHECK (octet_length(initialization_vector) = 16),
            encrypted_record bytea NOT NULL CHECK (octet_length(encrypted_record) = 16),
            authentication_code bytea NOT NULL CHECK (octet_length(authentication_code) = 32)
        ) PARTITION BY RANGE (hour);
        CREATE INDEX ON submission.check_in_report (hour);
        GRANT SELECT, INSERT ON submission.check_in_report TO vigil_submission;
        GRANT SELECT ON submission.check_in_report TO vigil_distribution;

        CREATE OR REPLACE FUNCTION submission.ensure_day(day integer) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            folded text;
        BEGIN
            FOREACH folded IN ARRAY ARRAY['diagnosis_key', 'check_in_report'] LOOP
                IF to_regclass(format('submission.%s_%s', folded, day)) IS NULL THEN
                    EXECUTE format(
                        'CREATE TABLE submission.%s_%s PARTITION OF submission.%s FOR VALUES FROM (%s) TO (%s)',
                        folded, day, folded, day * 24, day * 24 + 24);
                END IF;
            END LOOP;
        END
        $body$;

        CREATE OR REPLACE FUNCTION submission.drop_days_before(first_kept integer) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
        DECLARE
            partition record;
            dropped integer := 0;
        BEGIN
            FOR partition IN
                SELECT relname FROM pg_inherits
                JOIN pg_class ON pg_class.oid = inhrelid
                WHERE inhparent IN ('submission.diagnosis_key'::regclass, 'submission.check_in_report'::regclass)
                  AND substring(relname FROM '[0-9]+$')::integer < first_kept
            LOOP
                EXECUTE format('DROP TABLE submission.%I', partition.relname);
                dropped := dropped + 1;
            END LOOP;
            RETURN dropped;
        END
        $body$;
        """#)
}

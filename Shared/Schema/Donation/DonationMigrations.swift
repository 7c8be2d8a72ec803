import Postgres

extension Migration {
    /// The steps of the schema `donation`.
    static let donation: [Migration] = [
        Migration(
            "evidence and one-time passwords",
            #"""
            CREATE SCHEMA donation;
            GRANT USAGE ON SCHEMA donation TO vigil_donation;

            -- Hours and days are numbers since 1970, UTC. `written_hour` is the hour in which a row was written, until the rows of that hour
            -- are written again in the order of their hashes: then it is NULL, and nothing says which rows of two tables came together.

            -- Salts and device tokens that were shown, as keyed hashes. Kept until the evidence would be too old.
            CREATE TABLE donation.used_evidence (
                evidence_hash bytea PRIMARY KEY CHECK (octet_length(evidence_hash) = 32),
                last_hour integer NOT NULL,
                written_hour integer
            );
            CREATE INDEX ON donation.used_evidence (last_hour);

            -- Keys that Apple attested, under a keyed hash of their name. The counter is that of the last assertion that was accepted.
            -- Kept 30 days after it; then the app has its key attested again.
            CREATE TABLE donation.attested_key (
                key_hash bytea PRIMARY KEY CHECK (octet_length(key_hash) = 32),
                public_key bytea NOT NULL CHECK (octet_length(public_key) = 65),
                counter bigint NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
                used_day integer NOT NULL,
                written_hour integer
            );
            CREATE INDEX ON donation.attested_key (used_day);

            -- Tokens that iPhones' apps choose for a month, as keyed hashes, until the month's last hour. `is_marked`: Apple was told
            -- that the device has one.
            CREATE TABLE donation.month_token (
                token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
                last_hour integer NOT NULL,
                is_marked boolean NOT NULL DEFAULT false
            );
            CREATE INDEX ON donation.month_token (last_hour);

            -- Until which hour a device, an app or a month's token has had its share of a purpose: 0 survey, 1 log, 2 self-report,
            -- 3 analytics. Unless `is_taken`, Apple was told of a self-report that isn't stored yet.
            CREATE TABLE donation.quota (
                purpose smallint NOT NULL CHECK (purpose BETWEEN 0 AND 3),
                subject_hash bytea NOT NULL CHECK (octet_length(subject_hash) = 32),
                last_hour integer NOT NULL,
                is_taken boolean NOT NULL,
                written_hour integer,
                PRIMARY KEY (purpose, subject_hash)
            );
            CREATE INDEX ON donation.quota (last_hour);

            -- Passwords of apps as keyed hashes: 0 for a survey, 1 for a log, 2 for a self-report. `redeemed_by` is a keyed hash of the
            -- call that redeemed it. Kept seven days after its end, to tell expired from unknown.
            CREATE TABLE donation.one_time_password (
                kind smallint NOT NULL CHECK (kind BETWEEN 0 AND 2),
                password_hash bytea NOT NULL CHECK (octet_length(password_hash) = 32),
                is_strong boolean NOT NULL,
                expires_at timestamptz NOT NULL,
                redeemed_by bytea CHECK (octet_length(redeemed_by) = 32),
                written_hour integer,
                PRIMARY KEY (kind, password_hash)
            );
            CREATE INDEX ON donation.one_time_password (expires_at);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA donation TO vigil_donation;
            """#),

        Migration(
            "donated data",
            #"""
            -- The public halves of the hour keys. `closed` is set before the fold reads the inbox; nothing can be sealed to a closed hour.
            -- Kept 15 days.
            CREATE TABLE donation.hour_key (
                hour integer PRIMARY KEY,
                public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
                closed boolean NOT NULL DEFAULT false
            );

            -- One sealed row per donation, with no time but the hour. Emptied by the fold. Sizes are those of SealedDonation.Room.
            CREATE TABLE donation.inbox (
                tag bytea PRIMARY KEY CHECK (octet_length(tag) = 32),
                hour integer NOT NULL,
                sealed bytea NOT NULL CHECK (octet_length(sealed) <= 262144)
            );
            CREATE INDEX ON donation.inbox (hour);
            ALTER TABLE donation.inbox ALTER COLUMN sealed SET STORAGE EXTERNAL;

            -- The hours that were folded. Kept 15 days.
            CREATE TABLE donation.folded_hour (
                hour integer PRIMARY KEY
            );

            -- What was donated, each table a partition per day of donation. A donation is taken apart: what goes with the person's group and
            -- what goes with the app and its phone are in tables that have nothing in common but the day. An hour's rows are inserted in
            -- the order of their content. Enumerations have the numbers of the wire (cwa-ppa-server, `ppa_data.proto`). Kept 14 days.
            CREATE TABLE donation.user_group (
                day integer NOT NULL,
                federal_state smallint NOT NULL,
                district integer NOT NULL,
                age smallint NOT NULL
            ) PARTITION BY RANGE (day);

            -- `platform`: 0 iOS, 1 Android. Android's `system_version` is its API level; only Android has `exposure_notifications`, the
            -- version of Google's.
            CREATE TABLE donation.client (
                day integer NOT NULL,
                platform smallint NOT NULL CHECK (platform BETWEEN 0 AND 1),
                app_version text NOT NULL,
                system_version text NOT NULL,
                exposure_notifications bigint CHECK ((exposure_notifications IS NULL) = (platform = 0)),
                configuration_tag text NOT NULL
            ) PARTITION BY RANGE (day);

            -- Risk from encounters, and from visits to venues.
            CREATE TABLE donation.exposure_risk (
                day integer NOT NULL,
                federal_state smallint NOT NULL,
                district integer NOT NULL,
                age smallint NOT NULL,
                level smallint NOT NULL,
                level_changed boolean NOT NULL,
                most_recent_day integer,
                day_changed boolean NOT NULL,
                visit_level smallint NOT NULL,
                visit_level_changed boolean NOT NULL,
                visit_most_recent_day integer,
                visit_day_changed boolean NOT NULL
            ) PARTITION BY RANGE (day);

            -- Each encounter by itself. `occasion`: 0 new, 1 before a test was registered, 2 between then and the result. `scans` has
            -- typical attenuation, minimum attenuation and seconds of each scan.
            CREATE TABLE donation.exposure_window (
                day integer NOT NULL,
                platform smallint NOT NULL,
                app_version text NOT NULL,
                occasion smallint NOT NULL CHECK (occasion BETWEEN 0 AND 2),
                window_day integer NOT NULL,
                report_type smallint NOT NULL,
                infectiousness smallint NOT NULL,
                calibration_confidence smallint NOT NULL,
                transmission_risk_level smallint NOT NULL,
                normalized_time double precision NOT NULL,
                scans smallint[] NOT NULL
            ) PARTITION BY RANGE (day);

            CREATE TABLE donation.test_result (
                day integer NOT NULL,
                federal_state smallint NOT NULL,
                district integer NOT NULL,
                age smallint NOT NULL,
                result smallint NOT NULL,
                hours_since_registration smallint,
                level smallint NOT NULL,
                days_since_level smallint,
                hours_since_warning smallint,
                visit_level smallint NOT NULL,
                visit_days_since_level smallint,
                visit_hours_since_warning smallint
            ) PARTITION BY RANGE (day);

            -- How people came to upload keys, or not: what they did and when, with their group.
            CREATE TABLE donation.key_submission_by_user (
                day integer NOT NULL,
                federal_state smallint NOT NULL,
                district integer NOT NULL,
                age smallint NOT NULL,
                kind smallint NOT NULL,
                submitted boolean NOT NULL,
                submitted_after_symptom_flow boolean NOT NULL,
                submitted_with_tele_tan boolean NOT NULL,
                submitted_after_rapid_test boolean NOT NULL,
                submitted_with_check_ins smallint NOT NULL,
                hours_since_result smallint,
                hours_since_registration smallint,
                days_since_level smallint,
                hours_since_warning smallint,
                visit_days_since_level smallint,
                visit_hours_since_warning smallint
            ) PARTITION BY RANGE (day);

            -- The same people's way through the app, with the app and its phone.
            CREATE TABLE donation.key_submission_by_client (
                day integer NOT NULL,
                platform smallint NOT NULL,
                app_version text NOT NULL,
                submitted boolean NOT NULL,
                submitted_in_background boolean NOT NULL,
                submitted_after_cancel boolean NOT NULL,
                advanced_consent_given boolean NOT NULL,
                last_screen smallint NOT NULL
            ) PARTITION BY RANGE (day);

            -- The services own no table; these two functions are the only way in which the fold creates and drops any.
            CREATE FUNCTION donation.ensure_day(new_day integer) RETURNS void
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            DECLARE
                folded text;
            BEGIN
                FOREACH folded IN ARRAY ARRAY[
                    'user_group', 'client', 'exposure_risk', 'exposure_window', 'test_result', 'key_submission_by_user',
                    'key_submission_by_client'
                ] LOOP
                    IF to_regclass(format('donation.%s_%s', folded, new_day)) IS NULL THEN
                        EXECUTE format(
                            'CREATE TABLE donation.%s_%s PARTITION OF donation.%s FOR VALUES FROM (%s) TO (%s)',
                            folded, new_day, folded, new_day, new_day + 1);
                    END IF;
                END LOOP;
            END
            $body$;

            CREATE FUNCTION donation.drop_days_before(first_kept integer) RETURNS integer
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            DECLARE
                partition record;
                dropped integer := 0;
            BEGIN
                FOR partition IN
                    SELECT child.relname FROM pg_inherits
                    JOIN pg_class AS child ON child.oid = inhrelid
                    JOIN pg_class AS parent ON parent.oid = inhparent
                    WHERE parent.relnamespace = 'donation'::regnamespace AND parent.relkind = 'p'
                      AND substring(child.relname FROM '[0-9]+$')::integer < first_kept
                LOOP
                    EXECUTE format('DROP TABLE donation.%I', partition.relname);
                    dropped := dropped + 1;
                END LOOP;
                RETURN dropped;
            END
            $body$;

            -- Held until the end of the transaction by whoever makes keys, closes hours or folds.
            CREATE FUNCTION donation.take_fold_lock() RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                SELECT pg_advisory_xact_lock(8532464671511281671);
            $body$;

            -- Whether a donation waits for the fold. The server can't read the inbox otherwise.
            CREATE FUNCTION donation.is_waiting(known_tag bytea) RETURNS boolean
            LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                SELECT EXISTS (SELECT FROM donation.inbox WHERE tag = known_tag);
            $body$;

            -- The only way in which the server adds to the inbox: a donation that is sealed to the key of an open hour. Returns `stored`,
            -- `known` if its tag is there already, or `closed` without such a key. The share lock keeps the hour open until the transaction
            -- ends.
            CREATE FUNCTION donation.store_donation(sealed_in integer, sealed_to bytea, new_tag bytea, new_sealed bytea)
            RETURNS text
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            BEGIN
                PERFORM FROM donation.hour_key
                WHERE hour = sealed_in AND public_key = sealed_to AND NOT closed FOR SHARE;
                IF NOT FOUND THEN
                    RETURN 'closed';
                END IF;
                INSERT INTO donation.inbox (tag, hour, sealed) VALUES (new_tag, sealed_in, new_sealed) ON CONFLICT DO NOTHING;
                RETURN CASE WHEN FOUND THEN 'stored' ELSE 'known' END;
            END
            $body$;

            REVOKE ALL ON FUNCTION donation.ensure_day(integer), donation.drop_days_before(integer), donation.take_fold_lock(),
                donation.is_waiting(bytea), donation.store_donation(integer, bytea, bytea, bytea) FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION donation.is_waiting(bytea), donation.store_donation(integer, bytea, bytea, bytea)
                TO vigil_donation;
            GRANT SELECT ON donation.hour_key TO vigil_donation;

            GRANT USAGE ON SCHEMA donation TO vigil_donation_fold;
            GRANT EXECUTE ON FUNCTION donation.ensure_day(integer), donation.drop_days_before(integer),
                donation.take_fold_lock() TO vigil_donation_fold;
            GRANT SELECT, INSERT, DELETE, UPDATE (closed) ON donation.hour_key TO vigil_donation_fold;
            GRANT SELECT, DELETE ON donation.inbox TO vigil_donation_fold;
            GRANT SELECT, INSERT, DELETE ON donation.folded_hour TO vigil_donation_fold;
            GRANT SELECT, INSERT ON donation.user_group, donation.client, donation.exposure_risk, donation.exposure_window,
                donation.test_result, donation.key_submission_by_user, donation.key_submission_by_client
                TO vigil_donation_fold;
            """#),

        Migration(
            "released tables",
            #"""
            -- Weekly tables of donated data as they were released, cell by cell: rounded, with noise, or withheld. Nobody may change or
            -- delete one, and the primary keys let each be released once. Services/DataDonation/Tables/DonatedTable.swift lists the
            -- tables with their parts.
            CREATE TABLE donation.released_table (
                name text NOT NULL,
                -- The first of seven days since 1970, UTC: a Monday.
                week integer NOT NULL CHECK (week % 7 = 4),
                -- What it was made with: the units that the noise hides with an ε of 1/2, the smallest value, what values are multiples
                -- of, and the version of the definition.
                units integer NOT NULL CHECK (units > 0),
                minimum integer NOT NULL,
                rounding integer NOT NULL CHECK (rounding > 0),
                definition smallint NOT NULL,
                released_day integer NOT NULL CHECK (released_day >= week + 7),
                PRIMARY KEY (name, week)
            );

            CREATE TABLE donation.released_cell (
                name text NOT NULL,
                week integer NOT NULL,
                -- The order in which cells are shown.
                place integer NOT NULL,
                part text NOT NULL,
                row_name text NOT NULL,
                column_name text NOT NULL,
                -- NULL: withheld. Why, nothing says: the reason would tell the size.
                value integer CHECK (value >= 0),
                PRIMARY KEY (name, week, part, row_name, column_name),
                FOREIGN KEY (name, week) REFERENCES donation.released_table
            );

            -- Who took rows of donated data out of the database, and why, sealed to the auditor. The fold's role adds entries and can
            -- neither read, change nor delete any.
            CREATE TABLE donation.raw_audit (
                -- Since 1970, UTC.
                day integer NOT NULL,
                -- All have the same length: Shared/Formats/AuditFormat.
                sealed bytea PRIMARY KEY CHECK (octet_length(sealed) = 442)
            );

            GRANT SELECT, INSERT ON donation.released_table, donation.released_cell TO vigil_donation_fold;
            GRANT INSERT ON donation.raw_audit TO vigil_donation_fold;
            """#),

        Migration(
            "turns of self-reports",
            #"""
            -- Held while Apple is asked for a device's bits and told the new ones, until it is released or the connection ends. Apple can't
            -- do both at once. A phone comes again, so nobody waits long.
            CREATE FUNCTION donation.take_report_turn() RETURNS void
            LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '400ms' AS $body$
                SELECT pg_advisory_lock(8532464671511281675);
            $body$;
            REVOKE ALL ON FUNCTION donation.take_report_turn() FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION donation.take_report_turn(), vigil.give_locks_back() TO vigil_donation;
            """#),
    ]
}

import Postgres

extension Migration {
    /// The steps of the schema `verification`.
    static let verification: [Migration] = [
        Migration(
            "registrations, teleTANs and used TANs",
            #"""
            CREATE SCHEMA verification;
            GRANT USAGE ON SCHEMA verification TO vigil_verification;

            -- Hours and days are numbers since 1970, UTC.

            -- A registered test: the digest of its token, and under which hashed GUID to ask for the result. The second one is a hash
            -- that includes the date of birth. Kept 21 days.
            CREATE TABLE verification.session (
                token_digest bytea PRIMARY KEY CHECK (octet_length(token_digest) = 32),
                hashed_guid text CHECK (length(hashed_guid) = 64),
                teletan_kind text CHECK (teletan_kind IN ('TEST', 'EVENT')),
                created_hour integer NOT NULL,
                hashed_guid_dob text
                    CHECK (length(hashed_guid_dob) = 64 AND (hashed_guid IS NOT NULL OR hashed_guid_dob IS NULL)),
                CHECK ((hashed_guid IS NULL) <> (teletan_kind IS NULL))
            );
            CREATE INDEX ON verification.session (created_hour);

            -- Which GUIDs were registered, of both kinds, for as long as the test result server could still answer for one (60 days, a
            -- session's 21, and a day to spare): otherwise the same test could authorise a second upload.
            CREATE TABLE verification.registered_guid (
                guid_digest bytea PRIMARY KEY CHECK (octet_length(guid_digest) = 32),
                created_day integer NOT NULL
            );
            CREATE INDEX ON verification.registered_guid (created_day);

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

            -- How many teleTANs an officer was issued in an hour, under a keyed hash of officer and hour: it shows neither who the
            -- officer is nor that two hours belong to the same one. Kept until the hour is over.
            CREATE TABLE verification.officer_hour (
                officer bytea PRIMARY KEY CHECK (octet_length(officer) = 32),
                hour integer NOT NULL,
                issued integer NOT NULL
            );

            -- How many teleTANs were refused in an hour, over all callers, so that guessing can be stopped. Kept a day.
            CREATE TABLE verification.refused_tele_tan (
                hour integer PRIMARY KEY,
                refusals integer NOT NULL
            );

            -- A TAN that an upload used, under a digest that only the phone's registration token leads to. The tag names the one
            -- upload that it authorises, `day` is when it was first used. Kept 23 days: by then every other TAN for the same
            -- upload has expired. Each page has room for the confirmation, which therefore needs no index entry.
            CREATE TABLE verification.used_tan (
                digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
                tag bytea NOT NULL CHECK (octet_length(tag) = 32),
                confirmed boolean NOT NULL DEFAULT false,
                day integer NOT NULL
            ) WITH (fillfactor = 50);
            CREATE INDEX ON verification.used_tan (day);

            -- TeleTANs by the local day on which they were made, counted by the statement that deletes them. So nothing here
            -- moves when a teleTAN is made or redeemed, and a teleTAN is in one of the two tables only. A row goes when its
            -- figures are released.
            CREATE TABLE verification.forgotten_tele_tan (
                kind text NOT NULL CHECK (kind IN ('TEST', 'EVENT')),
                period_start date NOT NULL,
                -- 1 for TEST. 7 for EVENT, and for the days of TEST that aren't shown: those are added to their week's row.
                period_days smallint NOT NULL CHECK (period_days IN (1, 7)),
                made integer NOT NULL,
                redeemed integer NOT NULL,
                -- Of a week of TEST: the sums of its days' released values, for the share, and how many days aren't shown.
                shown_made integer NOT NULL DEFAULT 0,
                shown_redeemed integer NOT NULL DEFAULT 0,
                hidden_days smallint NOT NULL DEFAULT 0,
                PRIMARY KEY (kind, period_start, period_days)
            );

            -- Refused teleTANs by local day, counted likewise.
            CREATE TABLE verification.forgotten_refusal (
                day date PRIMARY KEY,
                refusals integer NOT NULL
            );
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA verification TO vigil_verification;
            """#)
    ]
}

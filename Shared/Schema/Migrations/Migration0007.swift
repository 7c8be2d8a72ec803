import Postgres

extension Migration {
    /// TANs that prove themselves, so that issuing one writes nothing; and no time finer than it is needed.
    static let selfProvingTANs = Migration(
        7, "TANs that prove themselves",
        #"""
        -- A TAN that an upload wanted, under a digest that only the phone's registration token leads to. The tag names the one
        -- upload it serves. `day` is when it was first wanted. Kept 23 days: no other TAN for the same upload can be good
        -- then. There is room in each page for the confirmation: no index has to be told of it.
        CREATE TABLE verification.used_tan (
            digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
            tag bytea NOT NULL CHECK (octet_length(tag) = 32),
            confirmed boolean NOT NULL DEFAULT false,
            day integer NOT NULL
        ) WITH (fillfactor = 50);
        CREATE INDEX ON verification.used_tan (day);
        GRANT SELECT, INSERT, UPDATE, DELETE ON verification.used_tan TO vigil_verification;

        -- TANs that were issued before are not known any more: a phone that asks again is given a new one.
        DROP TABLE verification.tan;
        ALTER TABLE verification.session DROP COLUMN tan_count;

        -- Hours and days since the epoch. The tables are written anew, so nothing of the old times remains in them.
        ALTER TABLE verification.session
            ALTER COLUMN created_at TYPE integer USING floor(extract(epoch FROM created_at) / 3600)::integer;
        ALTER TABLE verification.session RENAME COLUMN created_at TO created_hour;
        ALTER TABLE verification.registered_guid
            ALTER COLUMN created_at TYPE integer USING floor(extract(epoch FROM created_at) / 86400)::integer;
        ALTER TABLE verification.registered_guid RENAME COLUMN created_at TO created_day;
        """#)
}

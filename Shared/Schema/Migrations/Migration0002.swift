import Postgres

extension Migration {
    /// What verification needs beyond the story: tests with two ids, and limits that all replicas share.
    static let verificationLimits = Migration(
        2, "tests with a date of birth, limits on teleTANs",
        #"""
        -- The second id of a test, a hash with the date of birth. It is claimed in registered_guid, too.
        ALTER TABLE verification.session
            ADD COLUMN hashed_guid_dob text
                CHECK (length(hashed_guid_dob) = 64 AND (hashed_guid IS NOT NULL OR hashed_guid_dob IS NULL));

        -- Room in each page for the reservation and the confirmation of its TANs: no index has to be told of the first.
        ALTER TABLE verification.tan SET (fillfactor = 50);

        -- How many teleTANs an officer has had in an hour: under a keyed hash of officer and hour, so that neither who
        -- it was nor that two hours are the same officer's can be read. Kept until the hour is over.
        CREATE TABLE verification.officer_hour (
            officer bytea PRIMARY KEY CHECK (octet_length(officer) = 32),
            hour integer NOT NULL,
            issued integer NOT NULL
        );

        -- How many teleTANs of an hour were refused: who guesses is stopped for all. Kept a day.
        CREATE TABLE verification.refused_tele_tan (
            hour integer PRIMARY KEY,
            refusals integer NOT NULL
        );
        GRANT SELECT, INSERT, UPDATE, DELETE ON verification.officer_hour, verification.refused_tele_tan
            TO vigil_verification;
        """#)
}

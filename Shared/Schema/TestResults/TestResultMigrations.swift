import Postgres

extension Migration {
    /// The steps of the schema `test_results`.
    static let testResults: [Migration] = [
        Migration(
            "results",
            #"""
            CREATE SCHEMA test_results;
            GRANT USAGE ON SCHEMA test_results TO vigil_test_results;

            -- What a laboratory posted, under the hashed GUID. Kept 60 days.
            CREATE TABLE test_results.result (
                id text PRIMARY KEY CHECK (length(id) = 64),
                code smallint NOT NULL CHECK (code BETWEEN 0 AND 14),
                sample_collected integer NOT NULL,
                lab_id text CHECK (length(lab_id) <= 64),
                created_at timestamptz NOT NULL
            );
            CREATE INDEX ON test_results.result (created_at);
            GRANT SELECT, INSERT, UPDATE, DELETE ON test_results.result TO vigil_test_results;
            """#),

        // Measured behind 2.6 million redeemed results with nothing to redeem: 1.3 s and 44,000 blocks without the index, 0.03 ms
        // and 3 blocks with it.
        Migration(
            "index of results to redeem",
            #"""
            -- Two thirds of the results are redeemed and wait for their deletion. The hourly retention run looks for those that
            -- must be redeemed now; without this index it would read every redeemed one.
            CREATE INDEX ON test_results.result (created_at) WHERE code NOT IN (4, 9, 14);
            """#),

        Migration(
            "laboratories",
            #"""
            -- The laboratory or test centre that posted the result last: the name in its certificate. Nobody else can replace the
            -- result. NULL: posted before this step; the first of the same kind of test that replaces it becomes its owner.
            ALTER TABLE test_results.result ADD COLUMN posted_by text;
            -- Not validated: old rows have none, and reading all of them would keep phones and laboratories waiting.
            ALTER TABLE test_results.result
                ADD CONSTRAINT result_posted_by_check CHECK (char_length(posted_by) BETWEEN 1 AND 64) NOT VALID;

            -- How many positive results a laboratory or test centre posted in an hour (hours since 1970, UTC), against its
            -- budget. Kept a day.
            CREATE TABLE test_results.positive_hour (
                laboratory text NOT NULL CHECK (char_length(laboratory) BETWEEN 1 AND 64),
                hour integer NOT NULL,
                positives integer NOT NULL CHECK (positives > 0),
                PRIMARY KEY (laboratory, hour)
            );
            GRANT SELECT, INSERT, UPDATE, DELETE ON test_results.positive_hour TO vigil_test_results;
            """#),
    ]
}

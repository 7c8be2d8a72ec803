import Postgres

extension Migration {
    /// Who posted a result, and how many positive ones a laboratory posts in an hour.
    static let laboratories = Migration(
        9, "laboratories",
        #"""
        -- The laboratory or centre that posted the result last: the name in its certificate. Nobody else replaces the result.
        -- NULL: posted before this step; the first of the same kind of test that replaces it becomes its owner.
        ALTER TABLE test_results.result ADD COLUMN posted_by text;
        -- Not validated: old rows have none, and reading all of them would keep phones and laboratories waiting.
        ALTER TABLE test_results.result
            ADD CONSTRAINT result_posted_by_check CHECK (char_length(posted_by) BETWEEN 1 AND 64) NOT VALID;

        -- Positive results that a laboratory or centre posted in an hour (hours since 1970, UTC), against its budget. Kept a
        -- day.
        CREATE TABLE test_results.positive_hour (
            laboratory text NOT NULL CHECK (char_length(laboratory) BETWEEN 1 AND 64),
            hour integer NOT NULL,
            positives integer NOT NULL CHECK (positives > 0),
            PRIMARY KEY (laboratory, hour)
        );
        GRANT SELECT, INSERT, UPDATE, DELETE ON test_results.positive_hour TO vigil_test_results;
        """#)
}

import Postgres

extension Migration {
    /// Check-in reports are published, too.
    static let publishedReports = Migration(
        5, "published check-in reports",
        #"""
        -- How many check-in reports each published hour took: 0, or everything that was waiting.
        ALTER TABLE distribution.published_hour
            ADD COLUMN reports integer NOT NULL DEFAULT 0 CHECK (reports >= 0);

        -- A signature is kept for 15 days after it was last needed: configuration may stay the same for months.
        ALTER TABLE distribution.signature RENAME COLUMN created_at TO used_at;
        GRANT UPDATE (used_at) ON distribution.signature TO vigil_distribution;
        """#)
}

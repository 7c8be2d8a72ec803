import Postgres

extension Migration {
    /// A lock of its own for each job of which there may be one at a time. Advisory locks have one space of numbers for all
    /// roles, so no role may choose a number: each may call the functions that take its own.
    static let ownLocks = Migration(
        8, "locks of one's own",
        #"""
        -- Whoever makes keys, closes hours or folds holds this one until its transaction ends.
        CREATE FUNCTION submission.take_fold_lock() RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT pg_advisory_xact_lock(8532464671511281666);
        $body$;
        -- Whoever publishes, and whoever leads a wave: until they give them back, or their connection ends.
        CREATE FUNCTION distribution.take_publishing_lock() RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT pg_advisory_lock(8532464671511281667);
        $body$;
        CREATE FUNCTION push_dispatcher.take_wave_lock() RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT pg_advisory_lock(8532464671511281668);
        $body$;
        -- A connection holds its service's lock and no other.
        CREATE FUNCTION vigil.give_locks_back() RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            SELECT pg_advisory_unlock_all();
        $body$;

        REVOKE ALL ON FUNCTION submission.take_fold_lock(), distribution.take_publishing_lock(),
            push_dispatcher.take_wave_lock(), vigil.give_locks_back() FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION submission.take_fold_lock() TO vigil_submission;
        GRANT EXECUTE ON FUNCTION distribution.take_publishing_lock() TO vigil_distribution;
        GRANT EXECUTE ON FUNCTION push_dispatcher.take_wave_lock() TO vigil_push_dispatcher;
        GRANT EXECUTE ON FUNCTION vigil.give_locks_back() TO vigil_distribution, vigil_push_dispatcher;
        """#)
}

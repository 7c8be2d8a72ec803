import Postgres

extension Migration {
    /// The steps of the schema `statistics`.
    static let statistics: [Migration] = [
        Migration(
            "released figures",
            #"""
            CREATE SCHEMA statistics;
            GRANT USAGE ON SCHEMA statistics TO
                vigil_verification, vigil_test_results, vigil_distribution, vigil_push_dispatcher, vigil_health_portal;

            -- Each row is a value that was released: rounded, with noise where the figure has it, or withheld. Nobody may change
            -- or delete one, and the primary key lets each be released once. Days and weeks are the authority's local ones.
            --
            -- A row of a week counts what no row of a day in that week shows. So for codes-made and codes-redeemed, a week's
            -- total is the sum of its released days and of its row of 7 days; it has none if all seven days were released.
            CREATE TABLE statistics.released_figure (
                -- The figure's id, and the part of it: Shared/Domain/Statistics/Figure.swift lists both.
                figure text NOT NULL,
                cell text NOT NULL,
                -- The first local day, a Monday if there are seven.
                period_start date NOT NULL,
                period_days smallint NOT NULL CHECK (period_days IN (1, 7)),
                -- NULL: withheld. Why, nothing says: the reason would tell the size.
                value integer CHECK (value >= 0),
                -- Values are multiples of it.
                rounding smallint NOT NULL CHECK (rounding > 0),
                -- The version of the figure's definition.
                definition smallint NOT NULL,
                -- The local day on which it was released.
                released_on date NOT NULL,
                PRIMARY KEY (figure, cell, period_start, period_days),
                CHECK (period_days = 1 OR extract(isodow FROM period_start) = 1),
                CHECK (released_on >= period_start + period_days)
            );
            GRANT INSERT ON statistics.released_figure TO
                vigil_verification, vigil_test_results, vigil_distribution, vigil_push_dispatcher;
            GRANT SELECT ON statistics.released_figure TO vigil_health_portal;

            -- The local day on which a service first looked for something of a figure to release. What was before isn't counted
            -- whole, and isn't released.
            CREATE TABLE statistics.counted_since (
                figure text NOT NULL,
                cell text NOT NULL,
                day date NOT NULL,
                PRIMARY KEY (figure, cell)
            );

            -- The first days of the periods, beginning between two days, that were counted whole and aren't released. Days are
            -- numbers since 1970-01-01. The services may not read values.
            CREATE FUNCTION statistics.due(
                wanted text, part text, length smallint, first integer, last integer, today integer
            ) RETURNS SETOF integer
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            BEGIN
                INSERT INTO statistics.counted_since (figure, cell, day) VALUES (wanted, part, date '1970-01-01' + today)
                ON CONFLICT DO NOTHING;
                RETURN QUERY
                SELECT number
                FROM generate_series(first, last) AS number
                    JOIN statistics.counted_since AS since ON since.figure = wanted AND since.cell = part
                WHERE date '1970-01-01' + number > since.day
                    AND (length = 1 OR extract(isodow FROM date '1970-01-01' + number) = 1)
                    AND NOT EXISTS (
                        SELECT FROM statistics.released_figure AS known
                        WHERE known.figure = wanted AND known.cell = part
                            AND known.period_start = date '1970-01-01' + number AND known.period_days = length)
                ORDER BY number;
            END
            $body$;
            REVOKE ALL ON FUNCTION statistics.due(text, text, smallint, integer, integer, integer) FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION statistics.due(text, text, smallint, integer, integer, integer) TO
                vigil_verification, vigil_test_results, vigil_distribution, vigil_push_dispatcher;
            """#),
        Migration(
            "figures of the federation",
            """
            GRANT USAGE ON SCHEMA statistics TO vigil_federation;
            GRANT INSERT ON statistics.released_figure TO vigil_federation;
            GRANT EXECUTE ON FUNCTION statistics.due(text, text, smallint, integer, integer, integer) TO vigil_federation;
            """),
        Migration(
            "figures of donated data",
            """
            GRANT USAGE ON SCHEMA statistics TO vigil_donation_fold;
            GRANT INSERT ON statistics.released_figure TO vigil_donation_fold;
            GRANT EXECUTE ON FUNCTION statistics.due(text, text, smallint, integer, integer, integer) TO vigil_donation_fold;
            """),
    ]
}

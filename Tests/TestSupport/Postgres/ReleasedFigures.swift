package import FoundationEssentials
package import Postgres
package import Schema
package import Statistics

extension FigureRelease {
    /// Releases what is over at an instant, in a database whose clock shows the same instant.
    @discardableResult
    package static func run(
        _ sources: [FigureSource], at now: Date, in database: PostgresClient, calendar: LocalCalendar = .standard
    ) async throws -> Int {
        let clock = DatabaseClock(of: database, movedLike: ManualClock(now).clock)
        return try await FigureRelease(calendar, in: database, by: clock).run(sources, at: now)
    }
}

extension MigratedDatabase {
    /// The released values of some figures as text, in order: figure, cell (unless it has no name), first day, days, value.
    package func released(_ figures: Figure...) async throws -> [String] {
        let names = figures.map(\.rawValue)
        return try await TestPostgres.withClient(superuserConnection) { superuser in
            try await superuser.session { session in
                try session.rows(
                    """
                    SELECT concat_ws(' ', figure, nullif(cell, ''), period_start, period_days, coalesce(value::text, 'withheld'))
                    FROM statistics.released_figure WHERE figure = ANY(\(names))
                    ORDER BY period_start, period_days, figure, cell
                    """, as: String.self)
            }
        }
    }
}

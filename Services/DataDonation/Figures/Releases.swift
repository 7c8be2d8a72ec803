import Postgres
import Running
import Schema
import ServiceLifecycle

/// What the fold's process releases of donated data, every hour what is over: figures for the portal, tables for analysts.
enum Releases {
    /// - Parameter database: connected as `vigil_donation_fold`.
    static func everyHour(
        in runtime: ServiceRuntime, _ database: PostgresClient, by clock: DatabaseClock
    ) async throws -> [any Service] {
        let settings = runtime.configuration
        let figures = FigureRelease(try await LocalCalendar(settings, in: database), in: database, by: clock)
        return [
            try ReleaseTables(database, by: clock, settings).everyHour(in: runtime),
            figures.everyHour(FigureSource.donations(), in: runtime),
        ]
    }
}

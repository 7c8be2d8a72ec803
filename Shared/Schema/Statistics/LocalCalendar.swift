package import FoundationEssentials
package import Postgres
package import Running
package import Statistics

/// The days and weeks of the authority's time zone. PostgreSQL computes them, from its own table of time zones.
package struct LocalCalendar: Sendable {
    /// The name of the time zone, such as `Europe/Berlin`.
    package let zone: String

    /// The time zone if `statistics.timeZone` isn't set.
    package static let standard = LocalCalendar(zone: CountryFact.timeZone.standard)

    /// Creates a calendar of a time zone that PostgreSQL knows.
    package init(zone: String) { self.zone = zone }

    /// From `statistics.timeZone`, on which all services of a suite agree.
    /// - Throws: ``ConfigurationProblem`` if PostgreSQL doesn't know the time zone, ``CountryMismatch`` if the suite has another.
    package init(_ settings: Settings, in database: PostgresClient) async throws {
        self.init(zone: try await settings.agreed(on: .timeZone, in: database))
    }

    /// The local day of a column or value of type `timestamptz`, of type `date`.
    package func day(of instant: SQL) -> SQL { "(\(instant) AT TIME ZONE \(zone))::date" }

    /// The local day of an instant.
    package func day(of instant: Date, in session: Session) throws(PostgresError) -> LocalDay {
        let number = try session.row("SELECT \(day(of: "\(instant)")) - date '1970-01-01'", as: Int32.self)
        return LocalDay(number: number ?? 0)
    }

    /// When a local day begins.
    package func start(of day: LocalDay, in session: Session) throws(PostgresError) -> Date {
        let start = try session.row(
            "SELECT (date '1970-01-01' + \(day.number))::timestamp AT TIME ZONE \(zone)", as: Date.self)
        return start ?? .distantPast
    }
}

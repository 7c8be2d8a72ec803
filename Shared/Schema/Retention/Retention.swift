package import FoundationEssentials
import Logging
package import Postgres
package import Running

/// Applies the retention rules of the services' schemas.
package enum Retention {
    /// Every rule of every schema.
    package static let rules = Schema.all.flatMap(\.retention)

    /// The tables without a rule, each with the reason.
    package static let exempt: [String: String] = Schema.all.reduce(into: [:]) {
        $0.merge($1.exempt) { first, _ in first }
    }

    /// Applies every rule of one service.
    /// - Parameter calendar: by whose days deleted rows are counted.
    /// - Throws: ``ClockAhead``; nothing is removed then.
    /// - Returns: the number of rows (or partitions) removed or redeemed, by rule.
    package static func apply(
        _ role: DatabaseRole, at now: Date, by clock: DatabaseClock, in database: PostgresClient,
        calendar: LocalCalendar = .standard
    ) async throws -> [(rule: String, removed: Int)] {
        try await clock.require(now)
        var removed: [(rule: String, removed: Int)] = []
        for rule in rules where rule.role == role {
            // A request or another replica may lock the same rows in another order.
            let count = try await database.session(retrying: .onConflict) { try rule.delete($0, now, calendar) }
            removed.append((rule.name, count))
        }
        return removed
    }

    /// Applies a service's retention rules at startup and then every hour.
    ///
    /// Any number of replicas may do this concurrently: the rules only delete or redeem expired rows.
    package static func everyHour(
        for role: DatabaseRole, in database: PostgresClient, by clock: DatabaseClock, _ runtime: ServiceRuntime
    ) -> RecurringJob {
        every(3600, for: role, in: database, by: clock, runtime)
    }

    /// The same for a service with a rule shorter than an hour.
    /// - Parameters:
    ///   - interval: in seconds.
    ///   - calendar: by whose days deleted rows are counted.
    package static func every(
        _ interval: TimeInterval, for role: DatabaseRole, in database: PostgresClient, by clock: DatabaseClock,
        calendar: LocalCalendar = .standard, _ runtime: ServiceRuntime
    ) -> RecurringJob {
        RecurringJob("retention", in: runtime) { now in
            now.addingTimeInterval(interval)
        } work: { now in
            let removed = try await apply(role, at: now, by: clock, in: database, calendar: calendar)
            return Logger.Metadata(uniqueKeysWithValues: removed.map { ($0.rule, "\($0.removed)") })
        }
    }
}

package import FoundationEssentials
import Logging
package import Postgres
package import Running

extension Retention {
    /// Applies a service's retention rules at start and then every hour. Any number of replicas may do so at once: the
    /// rules only delete or redeem what is too old.
    package static func everyHour(
        for role: DatabaseRole, in database: PostgresClient, by clock: DatabaseClock, _ runtime: ServiceRuntime
    ) -> RecurringJob {
        every(3600, for: role, in: database, by: clock, runtime)
    }

    /// The same for a service that has a rule shorter than an hour.
    /// - Parameter interval: in seconds.
    package static func every(
        _ interval: TimeInterval, for role: DatabaseRole, in database: PostgresClient, by clock: DatabaseClock,
        _ runtime: ServiceRuntime
    ) -> RecurringJob {
        RecurringJob("retention", in: runtime) { now in
            now.addingTimeInterval(interval)
        } work: { now in
            let removed = try await apply(role, at: now, by: clock, in: database)
            return Logger.Metadata(uniqueKeysWithValues: removed.map { ($0.rule, "\($0.removed)") })
        }
    }
}

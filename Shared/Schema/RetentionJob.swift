import Logging
package import Postgres
package import ServiceKit
import ServiceLifecycle

/// Applies a service's retention rules at start and then every five minutes: the shortest rule is 15 minutes, and a rule
/// that finds nothing costs one look at an index. Any number of replicas may run it at once: the rules only delete what
/// is too old.
package struct RetentionJob: Service {
    private let role: DatabaseRole
    private let database: PostgresClient
    private let runtime: ServiceRuntime

    private static let interval = Duration.seconds(300)

    /// The job of one service.
    /// - Parameters:
    ///   - role: whose rules are applied.
    ///   - database: connected as that role.
    package init(_ role: DatabaseRole, database: PostgresClient, runtime: ServiceRuntime) {
        self.role = role
        self.database = database
        self.runtime = runtime
    }

    package func run() async throws {
        try await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    for (rule, removed) in try await Retention.apply(role, at: runtime.clock.now, in: database)
                    where removed > 0 {
                        runtime.logger.info(
                            "Retention applied", metadata: ["rule": "\(rule)", "removed": "\(removed)"])
                    }
                } catch let error as PostgresError {
                    runtime.logger.warning("Retention postponed", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}

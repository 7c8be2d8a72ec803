import Schema

/// Applies the migrations, and lets the services log in.
package enum DatabaseMigration {
    /// What each role may have unless an operator says otherwise: two replicas with the default of
    /// `postgres.maximumConnections`, and two for a command beside them.
    package static let connections = 18

    /// - Parameters:
    ///   - connection: as the owner.
    ///   - connections: of each service's role, for all replicas together.
    ///   - folder: makes the services' passwords, or has them already; nil leaves them alone.
    ///   - report: receives a sentence per step.
    package static func run(
        connection: String, connections: Int = connections, passwordsFrom folder: StateFolder?,
        report: @escaping @Sendable (String) -> Void
    ) async throws {
        try await DatabaseAccess.with(connection: connection) { owner in
            try await Schema.migrate(owner: owner, connections: connections, report: report)
            if let folder {
                try await ServiceLogins.allow(owner: owner) {
                    try SuiteSecrets.password(of: $0.rawValue, in: folder)
                }
            }
        }
    }
}

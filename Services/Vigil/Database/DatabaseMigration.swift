package import Schema

/// Applies the migrations, and lets the services log in.
package enum DatabaseMigration {
    /// The default connection limit of each role: two replicas with the default of `postgres.maximumConnections`, and two
    /// connections for a command.
    package static let connections = 18

    /// What ``run(connection:connections:passwordsFrom:report:)`` would apply.
    /// - Parameter connection: the connection string of the owner.
    package static func plan(connection: String) async throws -> MigrationPlan {
        try await DatabaseAccess.with(connection: connection) { try await Schema.plan(for: $0) }
    }

    /// - Parameters:
    ///   - connection: the connection string of the owner.
    ///   - connections: the limit of each service's role, for all replicas together.
    ///   - country: what the services shall agree on; what isn't named stays.
    ///   - changesCountry: whether to replace what is recorded.
    ///   - folder: holds the services' passwords, which are created if missing; nil leaves passwords alone.
    ///   - report: receives a sentence for each step.
    package static func run(
        connection: String, connections: Int = connections, country: [CountryFact: String] = [:],
        changesCountry: Bool = false, passwordsFrom folder: StateFolder?,
        report: @escaping @Sendable (String) -> Void
    ) async throws {
        try await DatabaseAccess.with(connection: connection) { owner in
            try await Schema.migrate(
                owner: owner, connections: connections, country: country, changesCountry: changesCountry, report: report
            )
            if let folder {
                for role in DatabaseRole.allCases {
                    let password = try SuiteSecrets.password(of: role.rawValue, in: folder)
                    try await ServiceLogins.setPassword(password, of: role.rawValue, in: owner)
                }
            }
            // After the passwords: whoever can't set one lets nobody in.
            try await ServiceLogins.allow(owner: owner)
        }
    }
}

import ArgumentParser
import Logging
import Postgres
import Running
import Schema

/// `vigil migrate`.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring each schema of a database to the version that this build needs.",
        discussion: """
            Run it as the role that owns the tables (vigil_owner). Any number of processes may run it at once. With \
            --state the services' roles also get the passwords that the state folder holds for them.
            """)

    @Option(help: ArgumentHelp("A libpq connection string; name a passfile in it.", valueName: "conninfo"))
    var connection: String

    @Option(
        name: .customLong("state"), help: ArgumentHelp("The folder with the roles' passwords.", valueName: "folder"))
    var statePath: String?

    @Option(
        help: ArgumentHelp(
            "How many connections each service's role may have, for all replicas together.", valueName: "number"))
    var connections = DatabaseMigration.connections

    func validate() throws {
        guard (2...10_000).contains(connections) else {
            throw ValidationError("--connections must lie in 2...10000.")
        }
    }

    func run() async throws {
        try await DatabaseMigration.run(
            connection: connection, connections: connections, passwordsFrom: statePath.map { StateFolder($0) }
        ) {
            Console.say($0)
        }
        Console.say("Schema versions: \(Schema.versions).")
    }
}

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
                try await SuiteDatabase.allowLogin(owner: owner) {
                    try SuiteSecrets.password(of: $0.rawValue, in: folder)
                }
            }
        }
    }
}

/// A database client for the length of a command.
enum DatabaseAccess {
    /// Turns what the database refuses into a sentence.
    static func with<R: Sendable>(
        connection: String, _ body: (PostgresClient) async throws -> R
    ) async throws -> R {
        let client = PostgresClient(
            PostgresConfiguration(
                connection: connection, applicationName: "vigil", maximumConnections: 2, statementTimeout: .seconds(300)
            ),
            logger: Logger(label: "vigil") { _ in SwiftLogNoOpLogHandler() })
        do {
            let result = try await body(client)
            await client.close()
            return result
        } catch {
            await client.close()
            switch error {
            case let error as PostgresError where error.code == .connection:
                throw CommandFailure(
                    "The database can't be reached or refuses the login (\(error)): check --connection.")
            case let error as PostgresError:
                throw CommandFailure("The database refused a step (\(error)): its own log says why.")
            // Also what the schema finds wrong, which is a sentence already.
            default: throw error
            }
        }
    }
}

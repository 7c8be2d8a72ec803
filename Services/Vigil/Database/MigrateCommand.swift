import ArgumentParser
import Running
import Schema

/// `vigil migrate`.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring each schema of a database to the version that this build needs.",
        discussion: """
            Run it as the role that owns the tables (vigil_owner). Any number of processes may run it at once. It lets the \
            services' roles log in. With --state they also get the passwords that the state folder holds for them; without, \
            PostgreSQL must ask them for certificates, or have their passwords already.
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

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

            It also records the suite's country, which each service compares with its own settings when it starts. It \
            refuses another country than it has recorded, unless it is told to change it.

            With --plan it changes nothing. It prints the steps that are missing, one a line (schema, number, name), and ends with \
            status 2 if there are any, 0 if there are none, and 1 if the database can't be migrated by this build. Each release's \
            steps leave the previous build running, but a build doesn't start again once its own schema has a newer version.
            """)

    /// The exit status of `--plan` when there is something to do; 1 says that something is wrong.
    private static let stepsAreMissing = ExitCode(2)

    @Option(help: ArgumentHelp("A libpq connection string; name a passfile in it.", valueName: "conninfo"))
    var connection: String

    @Option(
        name: .customLong("state"), help: ArgumentHelp("The folder with the roles' passwords.", valueName: "folder"))
    var statePath: String?

    @Option(
        help: ArgumentHelp(
            "How many connections each service's role may have, for all replicas together.", valueName: "number"))
    var connections = DatabaseMigration.connections

    @Option(
        help: ArgumentHelp(
            "The services' setting origin. A suite keeps what it has; a new one has \(CountryFact.origin.standard).",
            valueName: "country"))
    var origin: String?

    @Option(
        help: ArgumentHelp(
            "The services' setting statistics.timeZone; a new suite has \(CountryFact.timeZone.standard).",
            valueName: "zone"))
    var timeZone: String?

    @Flag(help: "Record another country than before. Services that are set to the old one won't start again.")
    var changeCountry = false

    @Flag(help: "Print what is missing, and change nothing.")
    var plan = false

    func validate() throws {
        guard (2...10_000).contains(connections) else {
            throw ValidationError("--connections must lie in 2...10000.")
        }
    }

    func run() async throws {
        if plan {
            let missing = try await DatabaseMigration.plan(connection: connection).steps
            for planned in missing { Console.say("\(planned.step) \(planned.name)") }
            guard missing.isEmpty else { throw Self.stepsAreMissing }
            return
        }
        try await DatabaseMigration.run(
            connection: connection, connections: connections,
            country: [CountryFact.origin: origin, .timeZone: timeZone].compactMapValues { $0 },
            changesCountry: changeCountry, passwordsFrom: statePath.map { StateFolder($0) }
        ) {
            Console.say($0)
        }
        Console.say("Schema versions: \(Schema.versions).")
    }
}

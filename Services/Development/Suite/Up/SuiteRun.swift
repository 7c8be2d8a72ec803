import Catalogue
import ExposureKeys
import Foundation
import Glibc
import Running
import Schema
import UnixSignals
package import Vigil

/// One life of a suite on one machine, from the first check to the last process stopped.
package struct SuiteRun: Sendable {
    let folder: StateFolder
    /// Whether to begin with an empty state folder.
    let isFresh: Bool
    let firstPort: Int
    /// What time it is for the services; the file of a shared clock must exist.
    let clock: SuiteClock
    let country: SuiteCountry
    /// The names of the services to start; nil for all.
    let only: Set<String>?
    let changes: [SettingChange]

    /// A started suite.
    package struct Stage: Sendable {
        /// What was started.
        package let plan: SuitePlan
        /// Its processes.
        package let supervisor: Supervisor
        /// How its owner reaches the database.
        package let ownerConnection: String
    }

    /// A run that has not begun.
    package init(
        folder: StateFolder, isFresh: Bool, firstPort: Int, clock: SuiteClock, country: SuiteCountry = .standard,
        only: Set<String>? = nil,
        changes: [SettingChange]
    ) {
        self.folder = folder
        self.isFresh = isFresh
        self.firstPort = firstPort
        self.clock = clock
        self.country = country
        self.only = only
        self.changes = changes
    }

    /// Runs until `body` returns, the operator stops the suite, or a process ends unexpectedly.
    /// - Parameter body: is called once everything is ready.
    /// - Returns: what `body` returned; nil if the operator stopped the suite.
    /// - Throws: ``CommandFailure``, and what `body` throws.
    @discardableResult
    package func run<Outcome: Sendable>(
        _ body: @escaping @Sendable (Stage) async throws -> Outcome
    ) async throws -> Outcome? {
        // Output to a pipe without a reader must not end the suite.
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
        try folder.prepare()
        let lock = try folder.lock()
        defer { withExtendedLifetime(lock) {} }

        let supervisor = Supervisor()
        let outcome: Result<Outcome?, any Error>
        do {
            outcome = .success(
                try await Self.first([
                    {
                        try await Self.signal()
                        return nil
                    },
                    { try await supervisor.watch() },
                    { try await body(try await start(under: supervisor)) },
                ]))
        } catch {
            outcome = .failure(error)
        }
        if await !supervisor.isEmpty { Console.say("Stopping.") }
        await supervisor.stop()
        let result = try outcome.get()
        Console.say("Everything is stopped.")
        return result
    }

    /// Starts the suite from any state of the folder.
    private func start(under supervisor: Supervisor) async throws -> Stage {
        let cluster = try PostgresCluster(directory: folder.postgres, log: folder.log("postgres"))
        let plan = try SuitePlan(
            folder: folder, firstPort: firstPort, clock: clock, country: country, only: only, changes: changes
        ) { role in
            connection(to: cluster, as: role.rawValue)
        }
        let executables = try executables(of: plan)
        try plan.requireFreePorts()
        try await clear(cluster)
        let isNew = !cluster.exists
        try prepareKeys()
        try await startPostgres(cluster, under: supervisor)
        try plan.write()
        if isNew, plan.starts(.fold) { try await beginYesterday() }
        try await startServices(of: plan, executables, under: supervisor)
        return Stage(
            plan: plan, supervisor: supervisor, ownerConnection: connection(to: cluster, as: DatabaseRole.owner))
    }

    // MARK: Steps

    /// Clears away leftovers of earlier runs that are in the way or unwanted.
    private func clear(_ cluster: PostgresCluster) async throws {
        if try await cluster.stopLeftover() {
            Console.say("PostgreSQL: stopped the server that an earlier run left behind.")
        }
        if isFresh {
            try folder.erase()
            try folder.prepare()
        } else {
            try folder.setLogsAside()
        }
    }

    /// The services' executables, next to this one.
    private func executables(of plan: SuitePlan) throws -> [String] {
        return try plan.services.map { service in
            let executable = try SuiteProgram.path(of: service.service.executable)
            guard FileManager.default.isExecutableFile(atPath: executable) else {
                throw CommandFailure("\(executable) is missing: build the whole package with `swift build`.")
            }
            return executable
        }
    }

    private func prepareKeys() throws {
        let made = try SuiteCertificates(in: folder, now: Date()).prepare().filter { $0.outcome == .made }
        try SuiteSecrets.prepare(in: folder)
        try FederationCertificates(in: folder, now: Date()).prepareForDevelopment(of: country.origin)
        Console.say("Certificates and secrets: \(made.isEmpty ? "all there." : "made \(made.count) certificates.")")
    }

    private func startPostgres(_ cluster: PostgresCluster, under supervisor: Supervisor) async throws {
        if !cluster.exists {
            Console.say("PostgreSQL: making the data directory; this takes some seconds.")
            let passwordFile = folder.secret("initdb-password")
            let password = try SuiteSecrets.password(of: PostgresCluster.superuser, in: folder)
            try folder.write("\(password)\n", to: passwordFile)
            defer { unlink(passwordFile) }
            try await cluster.initialise(passwordFile: passwordFile)
        }
        let server = try await supervisor.start(
            "PostgreSQL", log: cluster.log, stopSignal: SIGINT, patience: .seconds(60)
        ) { try await cluster.start() }
        try await cluster.waitUntilReady(server)
        let superuser = connection(to: cluster, as: PostgresCluster.superuser, database: "postgres")
        let ownerPassword = try SuiteSecrets.password(of: DatabaseRole.owner, in: folder)
        try await DatabaseAccess.with(connection: superuser) {
            try await SuiteDatabase.create(superuser: $0, ownerPassword: ownerPassword)
        }
        try await DatabaseAccess.with(connection: connection(to: cluster, as: PostgresCluster.superuser)) {
            try await SuiteDatabase.restrict(superuser: $0)
        }
        let owner = connection(to: cluster, as: DatabaseRole.owner)
        try await DatabaseMigration.run(connection: owner, country: country.facts, passwordsFrom: folder) {
            Console.say("PostgreSQL: \($0)")
        }
        Console.say("PostgreSQL: ready. Schema versions: \(Schema.versions).")
    }

    /// Folds the last hour of yesterday. The services fold and publish all hours since then, so that a new suite has a complete day.
    private func beginYesterday() async throws {
        let clock = try clock.clock(in: folder)
        let jobs = HourlyJobs(folder: folder, suite: try RunningSuite(in: folder), log: "fold")
        try await jobs.fold(asOf: Day(containing: clock.now).firstHour.start)
    }

    private func startServices(
        of plan: SuitePlan, _ executables: [String], under supervisor: Supervisor
    ) async throws {
        for (service, executable) in zip(plan.services, executables) {
            let log = folder.log(service.name)
            let arguments = service.arguments(configuration: folder.configuration(service.name))
            try await supervisor.start(service.name, log: log) {
                try await ChildProcess.start(ChildProcess.Program(executable, arguments, log: log))
            }
            // What stands in for the outside world is there before a suite is: the portal asks its provider at once.
            if service.service.isSimulator {
                try await Supervisor.waitUntilReady(service.name, at: plan.adminURL(of: service), log: log)
            }
        }
        for service in plan.services {
            try await Supervisor.waitUntilReady(
                service.name, at: plan.adminURL(of: service), log: folder.log(service.name))
            Console.say("\(service.name): ready.")
        }
    }

    // MARK: Helpers

    private func connection(
        to cluster: PostgresCluster, as role: String, database: String = SuiteDatabase.name
    ) -> String {
        cluster.connection(
            user: role, database: database, passwordFile: SuiteSecrets.passwordFile(of: role, in: folder))
    }

    /// Returns when the operator stops the suite.
    private static func signal() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup) { break }
        try Task.checkCancellation()
    }

    /// What the first piece of work to finish returns; the others are cancelled and awaited.
    private static func first<Outcome: Sendable>(
        _ works: [@Sendable () async throws -> Outcome?]
    ) async throws -> Outcome? {
        try await withThrowingTaskGroup(of: Outcome?.self) { group in
            for work in works { group.addTask { try await work() } }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}

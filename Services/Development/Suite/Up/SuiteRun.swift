import Catalogue
import ExposureKeys
import Foundation
import Glibc
import Running
import Schema
import UnixSignals
import Vigil

/// One life of a suite on one machine, from the first check to the last process stopped.
struct SuiteRun: Sendable {
    let folder: StateFolder
    /// Whether to begin with an empty state folder.
    let isFresh: Bool
    let playsStory: Bool
    let endsAfterStory: Bool
    let firstPort: Int
    /// How many seconds the services' clocks are ahead of the machine's.
    let clockOffset: Int
    let changes: [SettingChange]

    /// Runs until the story is over, the operator stops the suite, or a process ends unexpectedly.
    /// - Throws: ``CommandFailure``; after a failed step of the story its exit status is the step's number.
    func run() async throws {
        // Output to a pipe without a reader must not end the suite.
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
        try folder.prepare()
        let lock = try folder.lock()
        defer { withExtendedLifetime(lock) {} }

        let supervisor = Supervisor()
        let outcome: Result<Int32, any Error>
        do {
            outcome = .success(
                try await Self.first([
                    { try await Self.signal() },
                    { try await supervisor.watch() },
                    { try await start(under: supervisor) },
                ]))
        } catch {
            outcome = .failure(error)
        }
        if await !supervisor.isEmpty { Console.say("Stopping.") }
        await supervisor.stop()
        let failedStep = try outcome.get()
        guard failedStep == 0 else {
            throw CommandFailure(
                "The story failed at step \(failedStep); the logs are in \(folder.logs).", exitStatus: failedStep)
        }
        Console.say("Everything is stopped.")
    }

    /// Starts the suite from any state of the folder, and plays the story with `--story`.
    /// - Returns: the number of the story's step that failed, or 0; without `--story` it doesn't return.
    private func start(under supervisor: Supervisor) async throws -> Int32 {
        let cluster = try PostgresCluster(directory: folder.postgres, log: folder.log("postgres"))
        let plan = try SuitePlan(
            folder: folder, firstPort: firstPort, clockOffset: clockOffset, changes: changes
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
        if isNew { try await beginYesterday() }
        try await startServices(of: plan, executables, under: supervisor)

        let failedStep = playsStory ? try await playStory() : 0
        for service in plan.services {
            for warning in try await Supervisor.warnings(at: plan.adminURL(of: service)) {
                Console.say("\(service.name): \(warning)")
            }
        }
        if endsAfterStory { return failedStep }
        if failedStep != 0 { Console.say("The story failed at step \(failedStep); the logs are in \(folder.logs).") }
        Console.say(SuiteTable(plan: plan, ownerConnection: connection(to: cluster, as: DatabaseRole.owner)).text)
        while true { try await Task.sleep(for: .seconds(86_400)) }
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
        let server = try await cluster.start()
        await supervisor.add(server, name: "PostgreSQL", log: cluster.log, stopSignal: SIGINT, patience: .seconds(60))
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
        try await DatabaseMigration.run(connection: owner, passwordsFrom: folder) { Console.say("PostgreSQL: \($0)") }
        Console.say("PostgreSQL: ready. Schema versions: \(Schema.versions).")
    }

    /// Folds the last hour of yesterday. The services fold and publish all hours since then, so that a new suite has a complete day.
    private func beginYesterday() async throws {
        let clock = WallClock.offset(by: Double(clockOffset))
        let jobs = HourlyJobs(folder: folder, suite: try RunningSuite(in: folder), log: "fold")
        try await jobs.fold(asOf: Day(containing: clock.now).firstHour.start)
    }

    private func startServices(
        of plan: SuitePlan, _ executables: [String], under supervisor: Supervisor
    ) async throws {
        for (service, executable) in zip(plan.services, executables) {
            let log = folder.log(service.name)
            let arguments = service.arguments(configuration: folder.configuration(service.name))
            let process = try await ChildProcess.start(ChildProcess.Program(executable, arguments, log: log))
            await supervisor.add(process, name: service.name, log: log)
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

    /// The story is a client like any other, in a process of its own.
    private func playStory() async throws -> Int32 {
        let story = ChildProcess.Program(try SuiteProgram.path(of: "vigil-dev"), ["story", "--state", folder.path])
        switch try await ChildProcess.run(story) {
        case .status(let step): return step
        case .signal(let number): throw CommandFailure("The story was ended by signal \(number).")
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
    private static func signal() async throws -> Int32 {
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup) { break }
        try Task.checkCancellation()
        return 0
    }

    /// The result of the first piece of work to finish; the others are cancelled and awaited.
    private static func first(_ works: [@Sendable () async throws -> Int32]) async throws -> Int32 {
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for work in works { group.addTask { try await work() } }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { return 0 }
            return first
        }
    }
}

import Catalogue
import DevelopmentSuite
import Foundation
import FurtherAPI
import Glibc
import Postgres
import PublishedTree
import Schema
import TLS
import TestSupport
import Vigil

/// Servers of the suite as separate processes, on a PostgreSQL of their own or on a cluster. Each can be killed and restarted.
///
/// On a cluster there are two of those that answer callers, one on each machine, behind a load balancer.
actor KillableSuite {
    enum Member: String, CaseIterable {
        case verificationServer = "verification-server"
        case testResultServer = "test-result-server"
        case fold
        case submissionServer = "submission-server"
        case metadataProxy = "metadata-proxy"
        case developmentGateway = "development-gateway"
        case developmentAttestation = "development-attestation"
        case donationFold = "donation-fold"
        case dataDonation = "data-donation"
        case further
        case postgres

        /// The servers that issue TANs.
        static let forTANs: [Member] = [.testResultServer, .verificationServer]
        /// The servers that give genuine apps passwords. data-donation is ready when its fold has made keys.
        static let forPasswords: [Member] = [.developmentAttestation, .donationFold, .dataDonation]
        /// The servers that an upload passes through, and before it what authorises it.
        static let forUploads: [Member] = forPasswords + forTANs + [.fold, .submissionServer, .metadataProxy]

        /// Its entry in the catalogue; nil for PostgreSQL.
        fileprivate var service: Catalogue.Service? { Catalogue.services.first { $0.name == rawValue } }

        /// Whether there may be several.
        fileprivate var isReplicated: Bool {
            [.verificationServer, .testResultServer, .submissionServer, .metadataProxy, .dataDonation].contains(self)
        }
    }

    /// A process of a member.
    private struct Place: Hashable {
        let member: Member
        /// Nil for this machine.
        var machine: FailoverCluster.Machine?
    }

    nonisolated let folder: StateFolder
    private nonisolated let plan: SuitePlan
    private let database: Database
    /// Callees come before their callers.
    private let servers: [Member]
    private var processes: [Place: ChildProcess] = [:]

    /// Where the tables are.
    private enum Database: Sendable {
        /// A server that this suite starts, with more settings.
        case own(PostgresCluster, settings: [String])
        /// Servers that somebody else starts.
        case cluster(FailoverCluster)

        func connection(user: String, database: String, passwordFile: String) -> String {
            switch self {
            case .own(let server, _): server.connection(user: user, database: database, passwordFile: passwordFile)
            case .cluster(let cluster): cluster.connection(user: user, database: database, passwordFile: passwordFile)
            }
        }
    }

    private init(_ servers: [Member], folder: StateFolder, changes: [SettingChange], database: Database) throws {
        self.folder = folder
        self.database = database
        self.servers = servers
        // One laboratory posts for all callers, as fast as it can.
        let usual = SettingChange(argument: "test-result-server.positives.hourlyLimit=1000000")
        let changes = (usual.map { [$0] } ?? []) + changes + Self.openings(of: servers, on: database)
        plan = try SuitePlan(folder: folder, firstPort: TestPort.free(Catalogue.Port.reserved), changes: changes) {
            role in
            database.connection(
                user: role.rawValue, database: SuiteDatabase.name,
                passwordFile: SuiteSecrets.passwordFile(of: role.rawValue, in: folder))
        }
    }

    /// Calls `body` with a running suite.
    /// - Parameters:
    ///   - changes: override settings of the suite's plan.
    ///   - postgresSettings: added to the defaults, which keep every committed transaction.
    ///   - cluster: takes the place of a PostgreSQL of its own, which can be killed.
    static func run<Result: Sendable>(
        _ servers: [Member] = Member.forTANs, changes: [SettingChange] = [], postgresSettings: [String] = [],
        on cluster: FailoverCluster? = nil, _ body: (KillableSuite) async throws -> Result
    ) async throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = StateFolder(path)
        let database: Database =
            if let cluster {
                .cluster(cluster)
            } else {
                .own(
                    try PostgresCluster(directory: folder.postgres, log: folder.log("postgres")),
                    settings: postgresSettings)
            }
        let suite = try KillableSuite(servers, folder: folder, changes: changes, database: database)
        let result: Swift.Result<Result, any Error>
        do {
            try await suite.prepare()
            result = .success(try await body(suite))
        } catch {
            result = .failure(error)
        }
        await suite.stop()
        return try result.get()
    }

    nonisolated func url(of service: Catalogue.Service, _ listener: Catalogue.ListenerName) throws -> String {
        try plan.url(of: service, listener)
    }

    /// The identity provider's name in tokens.
    nonisolated var issuer: String { plan.issuer }

    /// The files of a caller with a certificate.
    nonisolated func certificate(_ holder: String) -> TLSFiles {
        TLSFiles(
            certificate: folder.certificate(holder), key: folder.certificateKey(holder),
            authorities: folder.certificate(SuiteCertificates.authority))
    }

    // MARK: Several machines

    /// Lets other machines reach the listeners of members.
    private static func openings(of servers: [Member], on database: Database) -> [SettingChange] {
        guard case .cluster = database else { return [] }
        return servers.flatMap { member in
            (member.service?.listeners ?? []).compactMap {
                SettingChange(argument: "\(member.rawValue).\($0.name.rawValue).host=0.0.0.0")
            }
        }
    }

    private nonisolated func places(of member: Member) -> [Place] {
        guard case .cluster = database, member.isReplicated else { return [Place(member: member)] }
        return FailoverCluster.Machine.allCases.map { Place(member: member, machine: $0) }
    }

    /// Has the load balancer answer at the ports of the members of which there are two.
    private func balance() async throws {
        guard case .cluster(let cluster) = database else { return }
        func ports(_ isReplicated: Bool) -> [Int] {
            servers.filter { $0.isReplicated == isReplicated }.flatMap { member in
                (member.service?.listeners ?? []).map { $0.port.number(first: plan.firstPort) }
            }
        }
        try await cluster.balance(ports(true), sharing: ports(false))
    }

    /// Kills everything on a machine of services.
    func lose(_ machine: FailoverCluster.Machine) async throws {
        for place in processes.keys where place.machine == machine { try await kill(place) }
    }

    /// Starts the services of a machine.
    /// - Parameter ahead: how far the machine's clock is wrong, in seconds.
    func start(_ machine: FailoverCluster.Machine, ahead: Int = 0) async throws {
        for member in servers where member.isReplicated {
            try await start(Place(member: member, machine: machine), ahead: ahead)
        }
    }

    /// Loses all that runs, and the private keys of open hours.
    func loseSite() async throws {
        for place in processes.keys { try await kill(place) }
        for volume in [Catalogue.Volume.Name.hourKeys, .donationHourKeys] {
            try FileManager.default.removeItem(atPath: folder.volume(volume))
        }
        try folder.prepare()
    }

    /// Starts every member.
    func startAll() async throws {
        for server in servers { try await start(server) }
    }

    // MARK: Killing and starting

    /// Kills a member with SIGKILL, as the kernel does when memory runs out.
    func kill(_ member: Member) async throws {
        for place in places(of: member) { try await kill(place) }
    }

    private func kill(_ place: Place) async throws {
        guard let process = processes[place] else { return }
        process.send(SIGKILL)
        guard try await process.end() == .signal(SIGKILL) else {
            throw CommandFailure(
                "\(place.member.rawValue) had ended before it was killed: \(try words(of: place.member))")
        }
    }

    /// Kills a member and starts it again.
    /// - Parameter isNoticed: whether a caller has noticed an outage; until then, but at most a minute, the member stays dead. On
    ///   a busy machine all short outages may fall between the calls.
    func restart(_ member: Member, once isNoticed: @Sendable () -> Bool = { true }) async throws {
        try await kill(member)
        let deadline = ContinuousClock.now + .seconds(60)
        while !isNoticed(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
        try await start(member)
    }

    /// Starts a member; returns when it is ready.
    func start(_ member: Member) async throws {
        switch member {
        case .postgres: try await startPostgres()
        default: for place in places(of: member) { try await start(place) }
        }
    }

    private func start(_ place: Place, ahead: Int = 0) async throws {
        guard let service = plan.services.first(where: { $0.name == place.member.rawValue }) else { return }
        let configuration = folder.configuration(service.name)
        let log = folder.log(service.name)
        let program = try BuiltProgram.path(service.service.executable)
        let arguments = service.arguments(configuration: configuration)
        guard let machine = place.machine else {
            processes[place] = try await ChildProcess.start(.init(program, arguments, log: log))
            return try await Supervisor.waitUntilReady(service.name, at: plan.adminURL(of: service), log: log)
        }
        let inside = ["netns", "exec", machine.rawValue]
        // The command `faketime` waits for the program, which would outlive it when it is killed.
        let clock = ahead == 0 ? [] : ["faketime", "-f", "+\(ahead)s", "setpriv", "--pdeathsig", "KILL"]
        processes[place] = try await ChildProcess.start(
            .init("/sbin/ip", inside + clock + [program] + arguments, log: log))
        let deadline = ContinuousClock.now + .seconds(60)
        let question = folder.log("ready")
        while try await ChildProcess.run(
            .init("/sbin/ip", inside + [program, "ready", "--config", configuration], log: question)) != .status(0)
        {
            // By a clock in an hour that hasn't begun, no row can be sealed: the service runs, and is right not to be ready.
            if ahead > 0, try words(in: question).split(separator: "\n").last?.hasSuffix("failing: hour-key.") == true {
                return
            }
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(
                    "\(service.name) wasn't ready in \(machine.rawValue): \(try words(in: question)) \(try words(of: place.member))"
                )
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Starts PostgreSQL.
    ///
    /// After a kill, its child processes live on for a moment and hold the shared memory. A new server refuses to start until
    /// they are gone, so this retries.
    private func startPostgres() async throws {
        guard case .own(let cluster, let postgresSettings) = database else { return }
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let server = try await cluster.start(settings: postgresSettings)
            processes[Place(member: .postgres)] = server
            do {
                return try await cluster.waitUntilReady(server)
            } catch let failure as CommandFailure {
                guard server.exit != nil, ContinuousClock.now < deadline else { throw failure }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    // MARK: Jobs

    /// Runs the `fold` command for everything before an instant.
    /// - Parameter patience: kills the command with SIGKILL after this time, unless it has finished.
    /// - Returns: whether it finished successfully.
    func fold(asOf instant: Date, killingAfter patience: Duration? = nil) async throws -> Bool {
        let fold = try await start(
            "submission-server", "fold", as: "fold", asOf: instant, ahead: max(0, instant.timeIntervalSinceNow))
        if let patience, try await fold.end(within: patience) == nil { fold.send(SIGKILL) }
        return try await fold.end() == .status(0)
    }

    /// Runs the command `data-donation fold` for everything before an instant; see ``fold(asOf:killingAfter:)``.
    func foldDonations(asOf instant: Date, killingAfter patience: Duration? = nil) async throws -> Bool {
        let fold = try await start(
            "data-donation", "fold", as: "donation-fold", asOf: instant, ahead: max(0, instant.timeIntervalSinceNow))
        if let patience, try await fold.end(within: patience) == nil { fold.send(SIGKILL) }
        return try await fold.end() == .status(0)
    }

    /// Starts the command `federation run` for everything before an instant.
    /// - Parameter ahead: how far its clock is ahead, in seconds.
    func exchange(
        asOf instant: Date, ahead: TimeInterval, environment: [String: String] = [:]
    ) async throws -> ChildProcess {
        try await start("federation", "run", as: "federation", asOf: instant, ahead: ahead, environment: environment)
    }

    /// Runs the command `further publish`; see ``fold(asOf:killingAfter:)``.
    func publishReports(asOf instant: Date, killingAfter patience: Duration? = nil) async throws -> Bool {
        let publish = try await start("further", "publish", as: "further", asOf: instant, ahead: 0)
        if let patience, try await publish.end(within: patience) == nil { publish.send(SIGKILL) }
        return try await publish.end() == .status(0)
    }

    /// The ids of the list that further has published for phones.
    func positiveIDs() throws -> Set<UUID> {
        let list = URL(filePath: folder.volume(.further)).appending(path: FurtherList.data.key.path)
        return Set(try JSONDecoder().decode([HealthReport].self, from: Data(contentsOf: list)).map(\.id))
    }

    /// - Parameter service: whose configuration the command has.
    private func start(
        _ executable: String, _ command: String, as service: String, asOf instant: Date, ahead: TimeInterval,
        environment: [String: String] = [:]
    ) async throws -> ChildProcess {
        try await ChildProcess.start(
            .init(
                try BuiltProgram.path(executable),
                [command, "--as-of", instant.formatted(.iso8601), "--config", folder.configuration(service)],
                environment: SuiteProgram.environment.merging(["CLOCK_OFFSET": "\(Int(ahead.rounded(.up)))"]) { $1 }
                    .merging(environment) { $1 },
                log: folder.log("\(command)-once")))
    }

    /// Opens a session as the superuser, who sees the whole database.
    func asSuperuser<Result: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withClient(superuser(of: SuiteDatabase.name)) { try await $0.session(body) }
    }

    private func superuser(of name: String) -> String {
        let passwordFile =
            switch database {
            case .own: SuiteSecrets.passwordFile(of: PostgresCluster.superuser, in: folder)
            case .cluster(let cluster): cluster.passwordFile
            }
        return database.connection(user: PostgresCluster.superuser, database: name, passwordFile: passwordFile)
    }

    private func words(of member: Member) throws -> String { try words(in: folder.log(member.rawValue)) }

    private func words(in log: String) throws -> String { String((try folder.read(log) ?? "").suffix(1000)) }

    // MARK: Setting up and tearing down

    private func prepare() async throws {
        try folder.prepare()
        _ = try SuiteCertificates(in: folder, now: Date()).prepare()
        try SuiteSecrets.prepare(in: folder)
        try FederationCertificates(in: folder, now: Date()).prepareForDevelopment()
        try plan.write()
        if case .own(let cluster, _) = database {
            let password = try SuiteSecrets.password(of: PostgresCluster.superuser, in: folder)
            try folder.write("\(password)\n", to: folder.secret("initdb-password"))
            // Tests kill processes and don't cut the power, so syncing to disk makes no difference.
            try await cluster.initialise(passwordFile: folder.secret("initdb-password"), options: ["--no-sync"])
            try await start(.postgres)
        }
        let ownerPassword = try SuiteSecrets.password(of: DatabaseRole.owner, in: folder)
        try await TestPostgres.withClient(superuser(of: "postgres")) { superuser in
            // A cluster may have that of an earlier suite.
            if case .cluster = database {
                try await superuser.session { try $0.script("DROP DATABASE IF EXISTS vigil WITH (FORCE)") }
            }
            try await SuiteDatabase.create(superuser: superuser, ownerPassword: ownerPassword)
        }
        try await TestPostgres.withClient(superuser(of: SuiteDatabase.name)) {
            try await SuiteDatabase.restrict(superuser: $0)
        }
        let owner = database.connection(
            user: DatabaseRole.owner, database: SuiteDatabase.name,
            passwordFile: SuiteSecrets.passwordFile(of: DatabaseRole.owner, in: folder))
        // For two replicas, and for connections that were given up while a commit waits for a standby.
        let connections = if case .cluster = database { 40 } else { DatabaseMigration.connections }
        try await DatabaseMigration.run(connection: owner, connections: connections, passwordsFrom: folder) { _ in }
        try await balance()
        try await startAll()
    }

    private func stop() async {
        for place in (servers.reversed() + [.postgres]).flatMap(places) {
            guard let process = processes[place] else { continue }
            process.send(place.member == .postgres ? SIGINT : SIGTERM)
            if (try? await process.end(within: .seconds(20))) == nil {
                process.send(SIGKILL)
                _ = try? await process.end()
            }
        }
    }
}

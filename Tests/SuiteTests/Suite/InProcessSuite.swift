import Calling
import Catalogue
import Credentials
import DataDonation
import DevelopmentSuite
import Distribution
import Federation
import Foundation
import Further
import HTTPContract
import Logging
import Running
import SubmissionServer
import Synchronization
import TLS
import TestSupport
import Testing
import Vigil

/// The whole suite in this process: every service through its front door, over real TLS connections, on a real database.
struct InProcessSuite: Sendable {
    let clock: WallClock
    let logger: Logger
    let database: MigratedDatabase
    /// The state folder, for certificates, secrets and the published tree.
    let folder: StateFolder
    private let plan: SuitePlan
    private let runtimes = Runtimes()

    /// Starts the suite on a new database, calls `body`, and stops the suite.
    static func run<Result: Sendable>(
        clock: WallClock, logger: Logger = quiet, changes: [String] = [],
        _ body: @Sendable (InProcessSuite) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withMigratedDatabase { database in
            try await run(clock: clock, logger: logger, changes: changes, on: database, body)
        }
    }

    /// Starts the suite on a given database, calls `body`, and stops the suite.
    /// - Parameter changes: `SERVICE.KEY=VALUE`, as for `vigil-dev up`.
    static func run<Result: Sendable>(
        clock: WallClock, logger: Logger = quiet, changes: [String] = [], on database: MigratedDatabase,
        _ body: @Sendable (InProcessSuite) async throws -> Result
    ) async throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "vigil-suite-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = StateFolder(path)
        try folder.prepare()
        _ = try SuiteCertificates(in: folder, now: Date()).prepare(naming: outsideNames.map { try OutsideName($0) })
        try SuiteSecrets.prepare(in: folder)
        try FederationCertificates(in: folder, now: Date()).prepareForDevelopment()
        // Eight seconds for an answer, because all services share this process with other tests.
        let patient = ["metadata-proxy.answers.deadline=1000", "verification-server.donation.milliseconds=4000"]
        let changes = try (patient + changes).map { try #require(SettingChange(argument: $0)) }
        let plan = try SuitePlan(folder: folder, firstPort: TestPort.free(Catalogue.Port.reserved), changes: changes) {
            role in
            database.connection(as: role)
        }
        // The services take their settings from the plan, but some of these name files.
        try plan.write()
        let suite = InProcessSuite(clock: clock, logger: logger, database: database, folder: folder, plan: plan)
        // Creates the keys that uploads and donations are sealed to.
        try await suite.fold(asOf: clock.now)
        try await suite.foldDonations(asOf: clock.now)
        return try await suite.start(plan.services.filter { FrontDoor.all[$0.name] != nil }) { try await body(suite) }
    }

    /// What callers outside type.
    private static let outsideNames = [
        "test-result-server=labs.example.org", "health-portal=tracing.example.org",
        "verification-server=codes.example.org", "data-donation=survey.example.org",
    ]

    private static let quiet = Logger(label: "suite") { _ in SwiftLogNoOpLogHandler() }

    /// Starts services one after the other; each waits until the previous one is ready.
    private func start<Result: Sendable>(
        _ services: [ServicePlan], _ body: () async throws -> Result
    ) async throws -> Result {
        guard let first = services.first else { return try await body() }
        return try await withRunningService(
            first.name, settings: first.settings.mapValues(\.description), clock: clock, logger: logger,
            serve: try #require(FrontDoor.all[first.name]).serve
        ) {
            runtimes.add($0)
            return try await start(Array(services.dropFirst()), body)
        }
    }

    // MARK: What users can reach

    func url(of service: Catalogue.Service, _ listener: Catalogue.ListenerName) throws -> String {
        try plan.url(of: service, listener)
    }

    /// The portal as browsers reach it.
    var portalOrigin: String { plan.portalOrigin }

    /// The identity provider's name in tokens.
    var issuer: String { plan.issuer }

    /// The TLS files of a caller, by its role.
    func certificate(_ role: Role) -> TLSFiles {
        TLSFiles(
            certificate: folder.certificate(role.rawValue), key: folder.certificateKey(role.rawValue),
            authorities: authorities)
    }

    var authorities: String { folder.certificate(SuiteCertificates.authority) }

    func fold(asOf instant: Date) async throws {
        try await SubmissionServer.fold(asOf: instant, runtime(of: "fold", showing: instant))
    }

    func foldDonations(asOf instant: Date) async throws {
        try await DataDonation.fold(asOf: instant, runtime(of: "donation-fold", showing: instant))
    }

    func publish(asOf instant: Date) async throws {
        try await Distribution.publish(asOf: instant, runtime(of: "distribution", showing: instant))
    }

    /// Runs a process that has jobs and no callers until one of its jobs was done.
    func run(
        _ name: String, untilDone job: String, asOf instant: Date,
        serve: @escaping @Sendable (ServiceRuntime) async throws -> Void
    ) async throws {
        let service = try #require(plan.services.first { $0.name == name })
        let ended = Gate()
        let outcome = Mutex<String?>(nil)
        let log = Logger(label: name) { label in
            JSONLogHandler(label: label, level: .info) { line in
                guard line.contains("\"job\":\"\(job)\"") else { return }
                outcome.withLock { $0 = line }
                ended.open()
            }
        }
        try await withRunningService(
            name, settings: service.settings.mapValues(\.description),
            clock: .offset(by: instant.timeIntervalSinceNow), logger: log, serve: serve
        ) { _ in await ended.pass() }
        #expect(outcome.withLock { $0 }?.contains("job done") == true)
    }

    func publishReports(asOf instant: Date) async throws {
        try await Further.publish(asOf: instant, runtime(of: "further", showing: instant))
    }

    func exchange(asOf instant: Date) async throws {
        try await Federation.run(asOf: instant, runtime(of: "federation", showing: instant))
    }

    /// The runtime of a command that is given an instant which the suite's clock may not have reached.
    private func runtime(of name: String, showing instant: Date) throws -> ServiceRuntime {
        let service = try #require(plan.services.first { $0.name == name })
        return ServiceRuntime(
            name: name, settings: service.settings.mapValues(\.description),
            clock: .offset(by: max(clock.movedBy, instant.timeIntervalSinceNow)), logger: logger)
    }

    /// Calls `body` with clients that call verification and submission server directly, so that no answer waits for the proxy's
    /// deadline.
    func withDirectCallers<Result: Sendable>(
        _ body: (_ verification: ServiceClient, _ submission: ServiceClient) async throws -> Result
    ) async throws -> Result {
        let urls = [try url(of: .verificationServer, .app), try url(of: .submissionServer, .listen)]
        let clients = try urls.map {
            try ServiceClient(base: $0, tls: certificate(.metadataProxy), name: "direct", deadline: .seconds(20))
        }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(clients[0], clients[1]))
        } catch {
            result = .failure(error)
        }
        for client in clients { await client.close() }
        return try result.get()
    }

    /// The key with which the verification server makes TANs.
    var tanKey: HashKey {
        get throws {
            let bytes = try Settings(["tanKey": folder.secret(SuiteSecrets.tanKey)]).secretFile("tanKey")
            return try #require(HashKey(bytes: bytes))
        }
    }

    /// The runtime of a running service, by its name.
    func runtime(_ name: String) -> ServiceRuntime? { runtimes.started.first { $0.name == name } }

    /// The metrics of all services together, as an operator's Prometheus would see them.
    var metrics: String { runtimes.metrics }

    /// The URL of each service's admin port, by the service's name.
    var adminURLs: [String: String] {
        get async throws {
            var urls: [String: String] = [:]
            for runtime in runtimes.started {
                urls[runtime.name] = "http://127.0.0.1:\(try await runtime.adminPort)"
            }
            return urls
        }
    }
}

/// The running services, in the order of their start.
private final class Runtimes: Sendable {
    private let all = Mutex<[ServiceRuntime]>([])

    func add(_ runtime: ServiceRuntime) { all.withLock { $0.append(runtime) } }

    var started: [ServiceRuntime] { all.withLock { $0 } }
    var metrics: String { started.map(\.metrics.text).joined() }
}

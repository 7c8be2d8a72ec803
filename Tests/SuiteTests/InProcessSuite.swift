import Calling
import Credentials
import Crypto
import DevelopmentAPNs
import Distribution
import DownloadServer
import ExposureFormat
import Foundation
import HTTPContract
import Logging
import MetadataProxy
import Phone
import PushDispatcher
import Running
import Schema
import SubmissionServer
import Synchronization
import TLS
import TestResultServer
import TestSupport
import Testing
import VerificationServer
import Vigil

/// The whole suite in this process: every service from its front door, over real TLS connections, on a real database.
struct InProcessSuite: Sendable {
    let clock: WallClock
    let logger: Logger
    let database: MigratedDatabase
    let certificates: TestCertificates
    /// A vigil state folder, for secrets and officers.
    let folder: StateFolder
    private let ports = Ports()
    private let runtimes = Runtimes()

    private struct Ports: Sendable {
        let proxy = TestPort.free()
        let verificationApp = TestPort.free()
        let verificationPortal = TestPort.free()
        let verificationInternal = TestPort.free()
        let laboratories = TestPort.free()
        let testResults = TestPort.free()
        let submission = TestPort.free()
        let downloads = TestPort.free()
        let push = TestPort.free()
        let apnsProduction = TestPort.free()
        let apnsSandbox = TestPort.free()
        let apnsControl = TestPort.free()
    }

    /// Starts the suite on a database of its own, calls `body`, and stops it.
    static func run<Result: Sendable>(
        clock: WallClock, logger: Logger = quiet, _ body: @Sendable (InProcessSuite) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withMigratedDatabase { database in
            try await run(clock: clock, logger: logger, on: database, body)
        }
    }

    /// Starts the suite on a database, calls `body`, and stops it.
    static func run<Result: Sendable>(
        clock: WallClock, logger: Logger = quiet, on database: MigratedDatabase,
        _ body: @Sendable (InProcessSuite) async throws -> Result
    ) async throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "vigil-suite-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = StateFolder(path)
        try folder.prepare()
        try SuiteSecrets.prepare(in: folder)
        let suite = InProcessSuite(
            clock: clock, logger: logger, database: database, certificates: try TestCertificates(), folder: folder)
        return try await suite.run(body)
    }

    private static let quiet = Logger(label: "suite") { _ in SwiftLogNoOpLogHandler() }

    private func run<Result: Sendable>(
        _ body: @Sendable (InProcessSuite) async throws -> Result
    ) async throws -> Result {
        try await start([
            ("test-result-server", testResultSettings, TestResultServer.serve),
            ("verification-server", verificationSettings, VerificationServer.serve),
            ("submission-server", submissionSettings, SubmissionServer.serve),
            ("development-apns", apnsSettings, DevelopmentAPNs.serve),
            ("push-dispatcher", pushSettings, PushDispatcher.serve),
            ("download-server", downloadSettings, DownloadServer.serve),
            ("metadata-proxy", proxySettings, MetadataProxy.serve),
        ]) {
            try await body(self)
        }
    }

    private typealias Start = (
        name: String, settings: () throws -> [String: String],
        serve: @Sendable (ServiceRuntime) async throws -> Void
    )

    /// Starts services one after the other, the next when the last one is ready.
    private func start<Result: Sendable>(_ services: [Start], _ body: () async throws -> Result) async throws -> Result
    {
        guard let first = services.first else { return try await body() }
        return try await withRunningService(
            first.name, settings: try first.settings(), clock: clock, logger: logger, serve: first.serve
        ) {
            runtimes.add($0)
            return try await start(Array(services.dropFirst()), body)
        }
    }

    // MARK: What users reach

    var proxyURL: String { "https://localhost:\(ports.proxy)" }
    var treeURL: String { "http://localhost:\(ports.downloads)" }
    var testResultsURL: String { "https://localhost:\(ports.testResults)" }
    var laboratoriesURL: String { "https://localhost:\(ports.laboratories)" }
    var apnsControlURL: String { "http://127.0.0.1:\(ports.apnsControl)" }
    var verificationPortalURL: String { "https://localhost:\(ports.verificationPortal)" }
    var verificationInternalURL: String { "https://localhost:\(ports.verificationInternal)" }
    /// What only the proxy reaches, for callers with its certificate.
    var verificationURL: String { "https://localhost:\(ports.verificationApp)" }
    var submissionURL: String { "https://localhost:\(ports.submission)" }
    var pushURL: String { "https://localhost:\(ports.push)" }
    var authorities: String { "\(certificates.directory)/authority.pem" }

    func fold(asOf instant: Date) async throws {
        try await SubmissionServer.fold(
            asOf: instant,
            ServiceRuntime(
                name: "submission-server", settings: try submissionSettings(), clock: clock(showing: instant),
                logger: logger))
    }

    func publish(asOf instant: Date) async throws {
        try await Distribution.publish(
            asOf: instant,
            ServiceRuntime(
                name: "distribution", settings: try distributionSettings(), clock: clock(showing: instant),
                logger: logger))
    }

    /// For a command that is told of an instant that the suite's clock may not have reached.
    private func clock(showing instant: Date) -> WallClock {
        .offset(by: max(clock.movedBy, instant.timeIntervalSinceNow))
    }

    /// Calls `body` with clients of verification and submission server that don't go through the proxy, and so don't wait for
    /// its deadline.
    func withDirectCallers<Result: Sendable>(
        _ body: (_ verification: ServiceClient, _ submission: ServiceClient) async throws -> Result
    ) async throws -> Result {
        let clients = try [ports.verificationApp, ports.submission].map { port in
            try ServiceClient(
                base: "https://localhost:\(port)", tls: certificates.files(role: .metadataProxy), name: "direct",
                deadline: .seconds(20))
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

    /// The key by which the verification server makes TANs.
    var tanKey: HashKey {
        get throws {
            let bytes = try Settings(["tanKey": folder.secret(SuiteSecrets.tanKey)]).secretFile("tanKey")
            return try #require(HashKey(bytes: bytes))
        }
    }

    /// A running service, by its name.
    func runtime(_ name: String) -> ServiceRuntime? { runtimes.started.first { $0.name == name } }

    /// What an operator's Prometheus would see of all services together.
    var metrics: String { runtimes.metrics }

    /// Where each service's health, metrics and documents are, by its name.
    var adminURLs: [String: String] {
        get async throws {
            var urls: [String: String] = [:]
            for runtime in runtimes.started {
                urls[runtime.name] = "http://127.0.0.1:\(try await runtime.adminPort)"
            }
            return urls
        }
    }

    // MARK: Configuration

    private func common(_ role: Role?) throws -> [String: String] {
        let files = try certificates.files(role: role)
        return [
            "tls.certificate": files.certificate, "tls.key": files.key, "tls.authorities": authorities,
        ]
    }

    private func testResultSettings() throws -> [String: String] {
        try common(.testResultServer).merging([
            "laboratories.port": "\(ports.laboratories)", "internal.port": "\(ports.testResults)",
            "postgres.connection": database.connection(as: .testResults),
        ]) { $1 }
    }

    private func verificationSettings() throws -> [String: String] {
        try common(.verificationServer).merging([
            "app.port": "\(ports.verificationApp)", "portal.port": "\(ports.verificationPortal)",
            "internal.port": "\(ports.verificationInternal)",
            "testResults.url": testResultsURL,
            "postgres.connection": database.connection(as: .verification),
            "secrets.tanKey": folder.secret(SuiteSecrets.tanKey),
            "secrets.teleTANKey": folder.secret(SuiteSecrets.teleTANKey),
            "officers.keys": SuiteSecrets.officerKeysFile(in: folder),
            "officers.issuer": OfficerIssuer.issuer, "officers.audience": OfficerIssuer.audience,
        ]) { $1 }
    }

    private func submissionSettings() throws -> [String: String] {
        try common(.submissionServer).merging([
            "listen.port": "\(ports.submission)", "verification.url": verificationInternalURL,
            "postgres.connection": database.connection(as: .submission),
            "secrets.tagKey": folder.secret(SuiteSecrets.tagKey), "hourKeys.directory": folder.hourKeys,
        ]) { $1 }
    }

    private func pushSettings() throws -> [String: String] {
        try common(.pushDispatcher).merging([
            "listen.port": "\(ports.push)", "postgres.connection": database.connection(as: .pushDispatcher),
            "secrets.tokenKey": folder.secret(SuiteSecrets.tokenKey), "waves.pause": "0", "waves.spread": "0",
            "apns.topic": SimulatedAccount.topic, "apns.teamID": SimulatedAccount.team,
            "apns.keyID": SimulatedAccount.keyID, "apns.key": folder.secret(SuiteSecrets.apnsKey),
            "apns.authorities": authorities,
            "apns.production.host": "localhost", "apns.production.port": "\(ports.apnsProduction)",
            "apns.sandbox.host": "localhost", "apns.sandbox.port": "\(ports.apnsSandbox)",
        ]) { $1 }
    }

    private func apnsSettings() throws -> [String: String] {
        try common(nil).merging([
            "production.port": "\(ports.apnsProduction)", "sandbox.port": "\(ports.apnsSandbox)",
            "control.port": "\(ports.apnsControl)", "topic": SimulatedAccount.topic, "teamID": SimulatedAccount.team,
            "keyID": SimulatedAccount.keyID, "publicKey": SuiteSecrets.apnsPublicKeyFile(in: folder),
        ]) { $1 }
    }

    private func distributionSettings() throws -> [String: String] {
        try common(.distribution).merging([
            "directory": folder.published,
            "postgres.connection": database.connection(as: .distribution),
            "signing.keys": "262/v1=" + folder.secret(SuiteSecrets.signingKey),
            "push.url": "https://localhost:\(ports.push)",
        ]) { $1 }
    }

    private func downloadSettings() throws -> [String: String] {
        ["listen.port": "\(ports.downloads)", "directory": folder.published]
    }

    private func proxySettings() throws -> [String: String] {
        let outer = try certificates.files(role: nil)
        return try common(.metadataProxy).merging([
            "listen.port": "\(ports.proxy)", "public.certificate": outer.certificate, "public.key": outer.key,
            "verification.url": "https://localhost:\(ports.verificationApp)",
            "submission.url": "https://localhost:\(ports.submission)",
            "push.url": "https://localhost:\(ports.push)",
            // Eight seconds for an answer: all services are in one process, beside other tests.
            "answers.deadline": "1000",
        ]) { $1 }
    }
}

/// The services that run, in the order in which they started.
private final class Runtimes: Sendable {
    private let all = Mutex<[ServiceRuntime]>([])

    func add(_ runtime: ServiceRuntime) { all.withLock { $0.append(runtime) } }

    var started: [ServiceRuntime] { all.withLock { $0 } }
    var metrics: String { started.map(\.metrics.text).joined() }
}

import Credentials
import ExposureKeys
import Foundation
import HTTPContract
import HourKeys
import Logging
import Postgres
import Running
import Schema
import SubmissionAPI
import SubmissionServer
import TLS
import TestSupport
import VerificationAPI

/// Submission servers from their front door, beside a fake verification server, on a database of their own.
struct SubmissionStage: Sendable {
    let database: MigratedDatabase
    let verification: FakeVerificationServer
    let clock: ManualClock
    private let certificates: TestCertificates
    private let caller: TLSFiles
    /// Of each replica.
    private let urls: [String]
    private let adminURL: String
    private let hourKeys: URL

    /// An answer without what changes from second to second.
    struct Answer: Equatable, Sendable {
        let status: Int
        /// By lower-case name, without `date`.
        let fields: [String: String]
        let body: [UInt8]
    }

    /// - Parameters:
    ///   - replicas: servers on the one database. What they share besides is the content of the tag key's file.
    ///   - hasFolded: false if the fold was never started, so that no hour has a key.
    ///   - verificationRuns: false leaves the port closed on which the server looks for TANs.
    ///   - wrongClock: the server's, in place of ``clock``, which the database's follows.
    static func run<Result: Sendable>(
        replicas: Int = 1, hasFolded: Bool = true, verificationRuns: Bool = true, caller: Role = .metadataProxy,
        wrongClock: WallClock? = nil,
        _ body: @escaping @Sendable (SubmissionStage) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withMigratedDatabase { database in
            let directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }

            let certificates = try TestCertificates()
            let clock = ManualClock(Samples.now)
            let verification = FakeVerificationServer()
            let verificationPort = TestPort.free()
            let ports = (0..<replicas).map { _ in TestPort.free() }
            let adminPort = TestPort.free()
            let hourKeys = directory.appending(path: "hour-keys")
            try FileManager.default.createDirectory(at: hourKeys, withIntermediateDirectories: false)
            let stage = SubmissionStage(
                database: database, verification: verification, clock: clock, certificates: certificates,
                caller: try certificates.files(role: caller), urls: ports.map { "https://localhost:\($0)" },
                adminURL: "http://127.0.0.1:\(adminPort)", hourKeys: hourKeys)
            let settings = try ports.map { port in
                let files = try certificates.files(role: .submissionServer)
                let tagKey = directory.appending(path: "tag-key-\(port)")
                try Data(String(repeating: "5a", count: 32).utf8).write(to: tagKey)
                return [
                    "listen.port": "\(port)", "admin.port": "\(port == ports.first ? adminPort : 0)",
                    "verification.url": "https://localhost:\(verificationPort)",
                    "postgres.connection": database.connection(as: .submission), "secrets.tagKey": tagKey.path,
                    "tls.certificate": files.certificate, "tls.key": files.key,
                    "tls.authorities": "\(certificates.directory)/authority.pem",
                ]
            }
            // Where a clock is wrong it is held against the machine's.
            if hasFolded { try await stage.fold(by: wrongClock == nil ? clock.clock : .system) }
            let serve: () async throws -> Result = {
                try await start(settings, clock: wrongClock ?? clock.clock) { try await body(stage) }
            }
            return verificationRuns
                ? try await verification.run(port: verificationPort, certificates: certificates, serve)
                : try await serve()
        }
    }

    /// Starts servers one after the other.
    private static func start<Result: Sendable>(
        _ settings: [[String: String]], clock: WallClock, _ body: () async throws -> Result
    ) async throws -> Result {
        guard let first = settings.first else { return try await body() }
        return try await withRunningService(
            "submission-server", settings: first, clock: clock, serve: SubmissionServer.serve
        ) { _ in
            try await start(Array(settings.dropFirst()), clock: clock, body)
        }
    }

    /// Folds what ended by the clock's time, and makes the keys that servers seal to.
    func fold() async throws { try await fold(by: clock.clock) }

    /// Gives the clock's hour a key, as a fold does, and folds nothing.
    func openHour() async throws {
        let hour = Hour(containing: clock.now).number
        let key: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)
        try await asSuperuser { session in
            _ = try session.execute("INSERT INTO submission.hour_key (hour, public_key) VALUES (\(hour), \(key))")
        }
    }

    private func fold(by clock: WallClock) async throws {
        let runtime = ServiceRuntime(
            name: "fold",
            settings: ["postgres.connection": database.connection(as: .fold), "hourKeys.directory": hourKeys.path],
            clock: clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await SubmissionServer.fold(asOf: clock.now, runtime)
    }

    /// Sends what an app sends through the proxy; a nil field is left out.
    func upload(
        _ payload: [UInt8], tan: String?, password: String? = nil, fake: String? = "0",
        media: String? = "application/x-protobuf",
        for purpose: UploadPurpose = .diagnosisKeys, to replica: Int = 0
    ) async throws -> Answer {
        let operation = purpose == .onBehalf ? SubmissionAPI.onBehalf : SubmissionAPI.diagnosisKeys
        return try await send(
            tan: tan, password: password, fake: fake, media: media, body: .bytes(payload), operation.route,
            to: replica)
    }

    /// The same with venue reports.
    func uploadVenueReports(
        _ payload: [UInt8], tan: String?, password: String? = nil, fake: String = "0"
    ) async throws -> Answer {
        try await send(
            tan: tan, password: password, fake: fake, media: "application/x-protobuf", body: .bytes(payload),
            SubmissionAPI.venueReports.route)
    }

    /// Sends a body that has no end.
    func uploadEndlessly(tan: String, fake: String = "0") async throws -> Answer {
        // Far more than is taken, but not for ever: whoever doesn't read must not fill the memory.
        try await send(
            tan: tan, fake: fake, media: "application/x-protobuf",
            body: .endless(String(repeating: "\0", count: 10_000)))
    }

    private func send(
        tan: String?, password: String? = nil, fake: String?, media: String?, body: RawClient.Body,
        _ route: Route = SubmissionAPI.diagnosisKeys.route, to replica: Int = 0
    ) async throws -> Answer {
        var fields: [String: String] = [:]
        fields["cwa-authorization"] = tan
        fields["cwa-otp"] = password
        fields["cwa-fake"] = fake
        fields["content-type"] = media
        let sent = fields
        let answer = try await RawClient.with(urls[replica], tls: caller) { client in
            try await client.send("POST", route.path, fields: sent, body)
        }
        return Answer(
            status: answer.status,
            fields: Dictionary(answer.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" },
            body: Array(answer.body.utf8))
    }

    /// What the first server's `/ready` says is failing.
    func failing() async throws -> [String] {
        let answer = try await TestSupport.send(.GET, "\(adminURL)/ready")
        let failing = try JSONDecoder().decode([String: [String]].self, from: Data(answer.body.utf8))["failing"]
        return failing ?? []
    }

    /// How many uploads wait for the fold.
    func waiting() async throws -> Int {
        try await asSuperuser { Int(try $0.row("SELECT count(*) FROM submission.inbox", as: Int64.self) ?? -1) }
    }

    func asSuperuser<Result: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withClient(database.superuserConnection, maximumConnections: 1) { client in
            try await client.session(body)
        }
    }
}

import AsyncHTTPClient
import Credentials
import Foundation
import HTTPContract
import NIOCore
import NIOHTTP1
import Postgres
import Running
import Schema
import SubmissionAPI
import SubmissionServer
import TLS
import TestSupport
import VerificationAPI

/// A submission server from its front door, beside a fake verification server, on a database of its own.
struct SubmissionStage: Sendable {
    let database: MigratedDatabase
    let verification: FakeVerificationServer
    let clock: ManualClock
    private let certificates: TestCertificates
    private let http: HTTPClient
    private let url: String

    /// An answer without what changes from second to second.
    struct Answer: Equatable, Sendable {
        let status: Int
        /// By lower-case name, without `date`.
        let fields: [String: String]
        let body: [UInt8]
    }

    /// - Parameters:
    ///   - verificationRuns: false leaves the port closed on which the server looks for TANs.
    ///   - wrongClock: the server's, in place of ``clock``, which the database's follows.
    static func run<Result: Sendable>(
        verificationRuns: Bool = true, caller: Role = .metadataProxy, wrongClock: WallClock? = nil,
        _ body: @escaping @Sendable (SubmissionStage) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withMigratedDatabase { database in
            let directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
            let keys = directory.appending(path: "hour-keys")
            try FileManager.default.createDirectory(at: keys, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let tagKey = directory.appending(path: "tag-key")
            try Data(String(repeating: "5a", count: 32).utf8).write(to: tagKey)

            let certificates = try TestCertificates()
            let files = try certificates.files(role: .submissionServer)
            let (port, verificationPort) = (TestPort.free(), TestPort.free())
            let settings = [
                "listen.port": "\(port)", "verification.url": "https://localhost:\(verificationPort)",
                "postgres.connection": database.connection(as: .submission), "secrets.tagKey": tagKey.path,
                "hourKeys.directory": keys.path, "tls.certificate": files.certificate, "tls.key": files.key,
                "tls.authorities": "\(certificates.directory)/authority.pem",
            ]
            let clock = ManualClock(Samples.now)
            let verification = FakeVerificationServer()
            let http = HTTPClient(
                configuration: HTTPClient.Configuration(
                    tlsConfiguration: try certificates.files(role: caller).client(),
                    redirectConfiguration: .disallow))
            let stage = SubmissionStage(
                database: database, verification: verification, clock: clock, certificates: certificates, http: http,
                url: "https://localhost:\(port)")
            let result: Swift.Result<Result, any Error>
            do {
                let serve: () async throws -> Result = {
                    try await withRunningService(
                        "submission-server", settings: settings, clock: wrongClock ?? clock.clock,
                        serve: SubmissionServer.serve
                    ) { _ in try await body(stage) }
                }
                result = .success(
                    verificationRuns
                        ? try await verification.run(port: verificationPort, certificates: certificates, serve)
                        : try await serve())
            } catch {
                result = .failure(error)
            }
            try await http.shutdown()
            return try result.get()
        }
    }

    /// Sends what an app sends through the proxy; a nil field is left out.
    func upload(
        _ payload: [UInt8], tan: String?, fake: String? = "0", media: String? = "application/x-protobuf",
        for purpose: UploadPurpose = .diagnosisKeys
    ) async throws -> Answer {
        try await send(tan: tan, fake: fake, media: media, body: .bytes(ByteBuffer(bytes: payload)), for: purpose)
    }

    /// Sends a body that has no end.
    func uploadEndlessly(tan: String, fake: String = "0") async throws -> Answer {
        let chunk = ByteBuffer(repeating: 0, count: 10_000)
        // Far more than is taken, but not for ever: whoever doesn't read must not fill the memory.
        let (chunks, sending) = AsyncStream.makeStream(of: ByteBuffer.self)
        for _ in 0..<1000 { sending.yield(chunk) }
        sending.finish()
        return try await send(
            tan: tan, fake: fake, media: "application/x-protobuf", body: .stream(chunks, length: .unknown))
    }

    private func send(
        tan: String?, fake: String?, media: String?, body: HTTPClientRequest.Body,
        for purpose: UploadPurpose = .diagnosisKeys
    ) async throws -> Answer {
        let operation = purpose == .onBehalf ? SubmissionAPI.onBehalf : SubmissionAPI.diagnosisKeys
        var request = HTTPClientRequest(url: url + operation.route.path)
        request.method = .POST
        if let tan { request.headers.add(name: "cwa-authorization", value: tan) }
        if let fake { request.headers.add(name: "cwa-fake", value: fake) }
        if let media { request.headers.add(name: "content-type", value: media) }
        request.body = body
        let answer = try await http.execute(request, timeout: .seconds(20))
        let fields = answer.headers.map { ($0.name.lowercased(), $0.value) }.filter { $0.0 != "date" }
        return Answer(
            status: Int(answer.status.code), fields: Dictionary(fields) { "\($0), \($1)" },
            body: Array(buffer: try await answer.body.collect(upTo: 1 << 20)))
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

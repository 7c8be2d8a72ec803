import Calling
import Crypto
import Foundation
import Further
import FurtherAPI
import HTTPContract
import HTTPMessage
import HTTPTypes
import Postgres
import Running
import Schema
import Serving
import TLS
import TestSupport

/// The whole service on a database of its own, and its callers.
struct FurtherStage: Sendable {
    let clock: ManualClock
    let database: MigratedDatabase
    let certificates: TestCertificates
    private let clients: [Role: HTTPClient]

    /// 2026-11-10, at ten past nine.
    static let start = Date(timeIntervalSince1970: 1_794_301_800)

    /// - Parameters:
    ///   - settings: added to the usual ones.
    ///   - files: contents of files, by the settings that name them.
    static func run(
        settings: [String: String] = [:], files: [String: String] = [:],
        _ body: @Sendable (FurtherStage) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let clock = ManualClock(start)
        try await TestPostgres.withMigratedDatabase { database in
            let port = TestPort.free()
            let tls = try certificates.files(role: .further)
            let lists = "\(certificates.directory)/lists"
            try FileManager.default.createDirectory(atPath: lists, withIntermediateDirectories: true)
            var own = [
                "tls.certificate": tls.certificate, "tls.key": tls.key,
                "tls.authorities": "\(certificates.directory)/authority.pem", "app.port": "\(port)",
                "postgres.connection": database.connection(as: .further), "directory": lists,
            ].merging(settings) { $1 }
            for (key, text) in files.merging(
                ["secrets.hashKey": String(repeating: "3c", count: 32)], uniquingKeysWith: { own, _ in own })
            {
                own[key] = "\(certificates.directory)/\(key)"
                try Data(text.utf8).write(to: URL(filePath: "\(certificates.directory)/\(key)"))
            }
            try await withRunningService("further", settings: own, clock: clock.clock, serve: Further.serve) { _ in
                // Kept, so that a busy machine doesn't have to shake hands for each request.
                var clients: [Role: HTTPClient] = [:]
                for role in [Role.metadataProxy, .distribution] {
                    clients[role] = try HTTPClient(
                        base: "https://localhost:\(port)", tls: certificates.files(role: role), name: "further")
                }
                let result: Result<Void, any Error>
                do {
                    result = .success(
                        try await body(
                            FurtherStage(
                                clock: clock, database: database, certificates: certificates, clients: clients)))
                } catch {
                    result = .failure(error)
                }
                for client in clients.values { await client.close() }
                try result.get()
            }
        }
    }

    // MARK: Callers

    /// Sends a body and returns the status.
    func send(
        _ path: String, _ body: Data, fields: [String: String] = [:], type: String? = "application/json",
        by role: Role = .metadataProxy
    ) async throws -> Int {
        try await exchange(path, body, fields: fields, type: type, by: role).status
    }

    /// Sends a body and returns status and body of the answer.
    func exchange(
        _ path: String, _ body: Data, fields: [String: String] = [:], type: String? = "application/json",
        by role: Role = .metadataProxy
    ) async throws -> (status: Int, body: String) {
        guard let client = clients[role] else { throw NoSuchCaller() }
        var lines: HTTPFields = [:]
        lines[.contentType] = type
        for (name, value) in fields { HTTPField.Name(name).map { lines[$0] = value } }
        let request = ClientRequest(.post, path, fields: FieldLines(lines), body: Array(body))
        let answer = try await client.send(request, within: .seconds(60), limit: 65_536)
        return (answer.status.code, String(decoding: answer.body, as: UTF8.self))
    }

    private struct NoSuchCaller: Error {}

    /// Sends a report, signed if there is a phone that signs.
    func report(_ report: HealthReport, by phone: SigningPhone? = nil) async throws -> Int {
        try await send(SignedMessage(report), to: FurtherAPI.report.route, by: phone)
    }

    /// Sends reports as a batch, filled up with negative ones.
    func batch(_ reports: [HealthReport], by phone: SigningPhone? = nil) async throws -> Int {
        let fillers = (reports.count..<FurtherAPI.batchCount).map { _ in HealthReport.sample(UUID(), false, at: now) }
        guard let batch = HealthBatch(reports + fillers) else { throw NoSuchCaller() }
        return try await send(SignedMessage(batch), to: FurtherAPI.batch.route, by: phone)
    }

    private func send(
        _ message: SignedMessage<some JSONMessage & Equatable>, to route: Route, by phone: SigningPhone?
    ) async throws -> Int {
        var message = message
        message.signature = try phone?.sign(message.body, for: route, at: now)
        return try await send(route.path, message.body, fields: message.texts)
    }

    /// Has a phone register its key.
    func register(_ phone: SigningPhone) async throws {
        let answer = try await exchange("/keys", phone.registration().encodedBody())
        guard answer.status == 200 else { throw NoSuchCaller() }
    }

    /// Now, in seconds since 1970.
    var now: Double { clock.now.timeIntervalSince1970 }

    // MARK: The database

    func asSuperuser<Result: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withClient(database.superuserConnection) { try await $0.session(body) }
    }

    /// The stored ids.
    func ids() async throws -> Set<UUID> {
        Set(try await asSuperuser { try $0.rows("SELECT id FROM further.report", as: UUID.self) })
    }

    /// Does what the service's role does by itself every hour.
    func asService<Result: Sendable>(
        _ body: (PostgresClient, DatabaseClock) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withClient(database.connection(as: .further)) { client in
            try await body(client, DatabaseClock(of: client, movedLike: clock.clock))
        }
    }
}

/// A phone that signs its calls.
struct SigningPhone: Sendable {
    let key = P256.Signing.PrivateKey()

    var name: KeyName { KeyName(of: key.publicKey.x963Representation) }

    func registration() throws -> KeyRegistration {
        let publicKey = key.publicKey.x963Representation
        let proof = try key.signature(for: KeyRegistration.provedText(for: publicKey)).derRepresentation
        return KeyRegistration(publicKey: publicKey, proof: proof)
    }

    func sign(
        _ body: Data, for route: Route, at now: Double,
        nonce: [UInt8] = (0..<16).map { _ in .random(in: 0 ... .max) }
    ) throws -> CallSignature {
        let text = CallSignature.text(of: route, timestamp: Int64(now), nonce: nonce, body: body)
        return CallSignature(
            key: name, timestamp: Int64(now), nonce: nonce,
            signature: Array(try key.signature(for: text).derRepresentation))
    }
}

extension SignedMessage {
    /// The fields of the signature.
    var texts: [String: String] {
        Dictionary(uniqueKeysWithValues: encoded().fields.map { ($0.name.rawName, $0.value) })
    }
}

extension HealthReport {
    static func sample(_ id: UUID, _ isPositive: Bool, at update: Double) -> HealthReport {
        HealthReport(
            id: id, feelingSick: isPositive, hasBeenTested: true, testResult: isPositive, lastUpdate: update)
    }
}

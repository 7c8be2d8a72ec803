import Credentials
import Foundation
import HTTPContract
import Logging
import Postgres
import PushAPI
import PushFormat
import Running
import Schema
import SwiftProtobuf
import TLS
import TestSupport

import enum Crypto.P256

@testable import PushDispatcher

/// A whole push dispatcher on a database of its own.
struct DispatcherStage: Sendable {
    let database: MigratedDatabase
    let clock: ManualClock
    let runtime: ServiceRuntime
    let vault: TokenVault
    private let http: RawClient

    /// 2026-05-26, ten minutes after noon.
    static let now = Date(timeIntervalSince1970: 1_779_797_400)
    private static let secret = [UInt8](repeating: 0x5a, count: 32)

    /// An answer without its time.
    struct Answer: Equatable, Sendable {
        let status: Int
        /// By lower-case name, without `date`.
        let fields: [String: String]
        let body: [UInt8]
    }

    static func run<Result: Sendable>(
        caller: Role = .metadataProxy,
        logger: Logger = Logger(label: "push-dispatcher") { _ in SwiftLogNoOpLogHandler() },
        _ body: @escaping @Sendable (DispatcherStage) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withMigratedDatabase { database in
            let directory = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let key = directory.appending(path: "token-key")
            try Data(secret.hex.utf8).write(to: key)
            let apnsKey = directory.appending(path: "apns-key.p8")
            try Data(P256.Signing.PrivateKey().pemRepresentation.utf8).write(to: apnsKey)
            let certificates = try TestCertificates()
            let files = try certificates.files(role: .pushDispatcher)
            let port = TestPort.free()
            let settings = [
                "listen.port": "\(port)", "postgres.connection": database.connection(as: .pushDispatcher),
                "secrets.tokenKey": key.path, "tls.certificate": files.certificate, "tls.key": files.key,
                "tls.authorities": "\(certificates.directory)/authority.pem",
                // No server listens there: a wave that begins meanwhile reaches no phone, and waits.
                "apns.topic": APNsStage.topic, "apns.teamID": APNsStage.team, "apns.keyID": APNsStage.keyID,
                "apns.key": apnsKey.path, "apns.production.host": "localhost",
                "apns.production.port": "\(TestPort.free())", "apns.sandbox.host": "localhost",
                "apns.sandbox.port": "\(TestPort.free())",
            ]
            let clock = ManualClock(now)
            return try await withRunningService(
                "push-dispatcher", settings: settings, clock: clock.clock, logger: logger, serve: PushDispatcher.serve
            ) { runtime in
                try await RawClient.with("https://localhost:\(port)", tls: certificates.files(role: caller)) { http in
                    try await body(
                        DispatcherStage(
                            database: database, clock: clock, runtime: runtime, vault: TokenVault(secret: secret),
                            http: http))
                }
            }
        }
    }

    // MARK: What phones send

    func register(
        _ instance: String, _ token: String, _ type: PushType = .ios, at endpoint: String = "/v3/register"
    ) async throws -> Answer {
        let registration = PushRegistration.with {
            $0.version = 1
            $0.pushToken = token
            $0.pushType = type
            $0.deviceID = instance
        }
        return try await post(endpoint, try registration.serializedBytes())
    }

    /// Whether a registration is answered as every valid one.
    func accepts(
        _ instance: String, _ token: String, _ type: PushType = .ios, at endpoint: String = "/v3/register"
    ) async throws -> Bool {
        let answer = try await register(instance, token, type, at: endpoint)
        return answer == Answer(status: 200, fields: ["cache-control": "no-store", "content-length": "0"], body: [])
    }

    func announce() async throws -> Answer { try await post("/version/v1/announcement", Data(), media: nil) }

    func post(_ path: String, _ body: Data, media: String? = "application/x-protobuf") async throws -> Answer {
        let fields = media.map { ["content-type": $0] } ?? [:]
        let answer = try await http.send("POST", path, fields: fields, .bytes(Array(body)))
        return Answer(
            status: answer.status, fields: Dictionary(answer.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" },
            body: Array(answer.body.utf8))
    }

    // MARK: What is stored

    struct Stored: Equatable, Sendable {
        let token: String?
        let kind: Int16
        let hour: Int32
        let standing: Int16
    }

    /// The stored registrations of some app-instance tokens.
    func stored(_ instances: String...) async throws -> [String: Stored] {
        let rows = try await asSuperuser { session in
            try session.rows(
                """
                SELECT instance_hash, token_hash, sealed_token, kind, registered_hour, standing
                FROM push_dispatcher.registration
                """, as: [UInt8].self, [UInt8].self, [UInt8].self, Int16.self, Int32.self, Int16.self)
        }
        let names = Dictionary(uniqueKeysWithValues: instances.map { (vault.hash(instance: Secret($0)).bytes, $0) })
        var stored: [String: Stored] = [:]
        for (instance, token, sealed, kind, hour, standing) in rows {
            let text = Digest(bytes: token).flatMap { vault.open(sealed, hash: $0) }?.exposed { $0 }
            stored[names[instance] ?? "unknown"] = Stored(token: text, kind: kind, hour: hour, standing: standing)
        }
        return stored
    }

    /// Whether exactly this is stored, for this phone and no other.
    func has(_ row: Stored, for instance: String) async throws -> Bool {
        let all = try await stored(instance)
        return all == [instance: row]
    }

    @discardableResult
    func asSuperuser<Result: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withClient(database.superuserConnection, maximumConnections: 1) { client in
            try await client.session(body)
        }
    }
}

import AsyncHTTPClient
import Calling
import Credentials
import DataDonation
import DevelopmentAttestation
import DonationAPI
import DonationFormat
import Foundation
import HTTPContract
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import Running
import Schema
import Serving
import TLS
import TestSupport

/// The whole data-donation on a database of its own, with simulated Apple and Google, and its callers.
struct DonationStage: Sendable {
    let clock: ManualClock
    let database: MigratedDatabase
    let certificates: TestCertificates
    let vouchers: Vouchers
    private let connections: [Role: ReloadedConnections]
    private let appBase: String
    private let redemptionBase: String

    /// 2026-11-10, at ten past nine.
    static let start = Date(timeIntervalSince1970: 1_794_301_800)

    /// What a server or an app is told.
    struct Reply: Equatable, Sendable {
        let status: Int
        let body: String

        init(_ status: Int, _ body: String) {
            self.status = status
            self.body = body
        }

        /// A refusal that published apps understand.
        static func refusal(_ status: Int, _ code: String) -> Reply { Reply(status, #"{"errorCode":"\#(code)"}"#) }
    }

    /// - Parameters:
    ///   - settings: added to the usual ones, or replacing them; an empty text removes one.
    ///   - error: by how many seconds the service's clock is wrong.
    static func run(
        settings: [String: String] = [:], clockError error: TimeInterval = 0,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (DonationStage) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let clock = ManualClock(start)
        let vouchers = try Vouchers(clock: clock, certificates: certificates)
        let apple = vouchers.listener(try certificates.files(role: nil))
        try await TestPostgres.withMigratedDatabase { database in
            try await withService(listeners: [apple]) { _ in
                let ports = (app: TestPort.free(), redemption: TestPort.free())
                let files = try certificates.files(role: .dataDonation)
                let hashKey = "\(certificates.directory)/hash.key"
                try Data(String(repeating: "3c", count: 32).utf8).write(to: URL(filePath: hashKey))
                let own = [
                    "tls.certificate": files.certificate, "tls.key": files.key,
                    "tls.authorities": "\(certificates.directory)/authority.pem", "secrets.hashKey": hashKey,
                    "app.port": "\(ports.app)", "redemption.port": "\(ports.redemption)",
                    "postgres.connection": database.connection(as: .donation),
                    "deviceCheck.url": "https://localhost:\(try await apple.boundPort)",
                ].merging(vouchers.settings) { $1 }.merging(settings) { $1 }
                try await withRunningService(
                    "data-donation", settings: own.filter { !$0.value.isEmpty },
                    clock: WallClock({ clock.now.addingTimeInterval(error) }, movedBy: { clock.clock.movedBy }),
                    logger: logger,
                    serve: DataDonation.serve
                ) { _ in
                    // Kept, so that a busy machine doesn't have to shake hands for each request.
                    var connections: [Role: ReloadedConnections] = [:]
                    for role in [Role.metadataProxy, .surveyServer, .logServer, .verificationServer] {
                        connections[role] = try ReloadedConnections(
                            tls: certificates.files(role: role), peer: "data-donation",
                            configuration: HTTPClient.Configuration())
                    }
                    defer { withExtendedLifetime(connections) {} }
                    try await body(
                        DonationStage(
                            clock: clock, database: database, certificates: certificates, vouchers: vouchers,
                            connections: connections,
                            appBase: "https://localhost:\(ports.app)",
                            redemptionBase: "https://localhost:\(ports.redemption)"))
                }
            }
        }
    }

    // MARK: Callers

    /// Sends a body as the metadata proxy does.
    func send(
        _ operation: Endpoint<DonationBody, ExpirationAnswer>, _ body: [UInt8], isFake: Bool = false
    ) async throws -> Reply {
        try await post(
            appBase + operation.route.path, body, role: .metadataProxy,
            headers: [("content-type", "application/x-protobuf"), ("cwa-fake", isFake ? "1" : "0")])
    }

    /// Redeems a password.
    func redeem(
        _ path: String, _ password: String, by role: Role, key: String? = nil
    ) async throws -> Reply {
        try await post(
            redemptionBase + path, Array(#"{"otp":"\#(password)"}"#.utf8), role: role,
            headers: [("content-type", "application/json")] + (key.map { [("idempotency-key", "\"\($0)\"")] } ?? []))
    }

    /// Redeems passwords of self-reports in one call.
    /// - Parameter entries: numbers of passwords and of calls.
    func redeemReports(_ entries: [(password: Int, call: Int)], by role: Role = .verificationServer) async throws
        -> Reply
    {
        let redemptions = ReportRedemptions(
            entries.map {
                ReportRedemption(
                    Wish.password($0.password), idempotencyKey: IdempotencyKey(Digest(sha256: "\($0.call)".utf8)))
            })
        return try await redeemReports(Array(redemptions.encodedBody()), by: role)
    }

    /// The same with any body.
    func redeemReports(_ body: [UInt8], by role: Role = .verificationServer) async throws -> Reply {
        try await post(
            redemptionBase + DonationAPI.reportRedemptions.route.path, body, role: role,
            headers: [("content-type", "application/json")])
    }

    /// The challenge as an app gets it.
    func challenge() async throws -> [UInt8] {
        struct Body: Decodable { let challenge: Data }
        let reply = try await askForChallenge()
        return Array(try JSONDecoder().decode(Body.self, from: Data(reply.body.utf8)).challenge)
    }

    /// What an app is told that asks for a challenge.
    func askForChallenge() async throws -> Reply {
        let url = appBase + DonationAPI.challenge.route.path
        return try await over(.metadataProxy) { http in
            let answer = try await http.execute(HTTPClientRequest(url: url), timeout: Self.patience)
            return Reply(Int(answer.status.code), String(buffer: try await answer.body.collect(upTo: 4096)))
        }
    }

    private static let patience = TimeAmount.seconds(60)

    private func post(
        _ url: String, _ body: [UInt8], role: Role, headers: [(String, String)]
    ) async throws -> Reply {
        try await over(role) { http in
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            for (name, value) in headers { request.headers.add(name: name, value: value) }
            request.body = .bytes(ByteBuffer(bytes: body))
            let answer = try await http.execute(request, timeout: Self.patience)
            let body = try await answer.body.collect(upTo: 65_536)
            return Reply(Int(answer.status.code), String(buffer: body))
        }
    }

    private func over<Result>(_ role: Role, _ body: (HTTPClient) async throws -> Result) async throws -> Result {
        guard let connections = connections[role] else { throw SimulatedIPhone.Unusable() }
        return try await connections.with(body)
    }

    // MARK: The database

    func asSuperuser<Result: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withClient(database.superuserConnection) { try await $0.session(body) }
    }

    /// The rows of the tables that admissions fill.
    func rows() async throws -> [String: Int] {
        try await asSuperuser { session in
            var counts: [String: Int] = [:]
            for (name, query) in [
                ("evidence", "SELECT count(*) FROM donation.used_evidence" as SQL),
                ("keys", "SELECT count(*) FROM donation.attested_key"),
                ("shares", "SELECT count(*) FROM donation.quota"),
                ("passwords", "SELECT count(*) FROM donation.one_time_password"),
            ] {
                if let count = try session.row(query, as: Int64.self), count > 0 { counts[name] = Int(count) }
            }
            return counts
        }
    }
}

import Calling
import Credentials
import DataDonation
import DevelopmentAttestation
import DonationAPI
import DonationFormat
import Foundation
import HTTPContract
import HTTPMessage
import HTTPTypes
import Logging
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
    private let clients: [Role: Doors]

    /// The two listeners, as a role calls them over connections that are kept, so that a busy machine doesn't have to shake hands for each
    /// request.
    private struct Doors {
        let app: HTTPClient
        let redemption: HTTPClient
    }

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
    ///   - pause: what Apple's answers wait for.
    static func run(
        settings: [String: String] = [:], clockError error: TimeInterval = 0,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        pause: @escaping @Sendable (SimulatedDeviceCheck.Operation) async -> Void = { _ in },
        _ body: (DonationStage) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let clock = ManualClock(start)
        let vouchers = try Vouchers(clock: clock, certificates: certificates, pause: pause)
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
                    var clients: [Role: Doors] = [:]
                    for role in [Role.metadataProxy, .surveyServer, .logServer, .verificationServer] {
                        func client(_ port: Int) throws -> HTTPClient {
                            try HTTPClient(
                                base: "https://localhost:\(port)", tls: certificates.files(role: role),
                                name: "data-donation")
                        }
                        clients[role] = Doors(app: try client(ports.app), redemption: try client(ports.redemption))
                    }
                    let result: Result<Void, any Error>
                    do {
                        result = .success(
                            try await body(
                                DonationStage(
                                    clock: clock, database: database, certificates: certificates, vouchers: vouchers,
                                    clients: clients)))
                    } catch {
                        result = .failure(error)
                    }
                    for doors in clients.values {
                        await doors.app.close()
                        await doors.redemption.close()
                    }
                    try result.get()
                }
            }
        }
    }

    // MARK: Callers

    /// Sends a body as the metadata proxy does.
    func send(
        _ operation: Endpoint<DonationBody, ExpirationAnswer>, _ body: [UInt8], isFake: Bool = false
    ) async throws -> Reply {
        try await call(
            try doors(.metadataProxy).app, operation.route.path, body,
            [.contentType: "application/x-protobuf", .cwaFake: isFake ? "1" : "0"])
    }

    /// Redeems a password.
    func redeem(
        _ path: String, _ password: String, by role: Role, key: String? = nil
    ) async throws -> Reply {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let key { fields[.idempotencyKey] = "\"\(key)\"" }
        return try await call(
            try doors(role).redemption, path, Array(#"{"otp":"\#(password)"}"#.utf8), fields)
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
        try await call(
            try doors(role).redemption, DonationAPI.reportRedemptions.route.path, body,
            [.contentType: "application/json"])
    }

    /// The challenge as an app gets it.
    func challenge() async throws -> [UInt8] {
        struct Body: Decodable { let challenge: Data }
        let reply = try await askForChallenge()
        return Array(try JSONDecoder().decode(Body.self, from: Data(reply.body.utf8)).challenge)
    }

    /// What an app is told that asks for a challenge.
    func askForChallenge() async throws -> Reply {
        try await call(try doors(.metadataProxy).app, DonationAPI.challenge.route.path)
    }

    private func doors(_ role: Role) throws -> Doors {
        guard let doors = clients[role] else { throw SimulatedIPhone.Unusable() }
        return doors
    }

    /// - Parameter body: nil for GET, else POST.
    private func call(
        _ client: HTTPClient, _ path: String, _ body: [UInt8]? = nil, _ fields: HTTPFields = [:]
    ) async throws -> Reply {
        let request = ClientRequest(body == nil ? .get : .post, path, fields: FieldLines(fields), body: body)
        let answer = try await client.send(request, within: .seconds(60), limit: 65_536)
        return Reply(answer.status.code, String(decoding: answer.body, as: UTF8.self))
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

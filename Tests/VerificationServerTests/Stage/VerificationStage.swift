import Calling
import Credentials
import Foundation
import HTTPContract
import Logging
import Postgres
import Running
import Schema
import Serving
import TLS
import TestSupport
import Testing
import VerificationAPI
import VerificationServer

/// The whole verification server on a database of its own, with a fake test result server, a fake data-donation, and its callers.
struct VerificationStage: Sendable {
    let clock: ManualClock
    let database: MigratedDatabase
    let certificates: TestCertificates
    let runtime: ServiceRuntime
    let results: FakeResults
    let passwords: FakePasswords
    let officers: OfficerTokens
    let appBase: String
    let internalBase: String
    let portalBase: String
    /// Callers with the certificates of metadata proxy, submission server and portal.
    let apps: ServiceClient
    let submission: ServiceClient
    let portal: ServiceClient

    /// 2026-05-26, at noon.
    static let start = Date(timeIntervalSince1970: 1_779_796_800)

    /// - Parameters:
    ///   - settings: added to the usual ones, or replacing them.
    ///   - prepare: fills the database before the service starts.
    ///   - host: the directory of PostgreSQL's socket, if not the usual one.
    static func run<Result: Sendable>(
        settings: [String: String] = [:], postgresHost host: String? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        prepare: (PostgresClient) async throws -> Void = { _ in },
        _ body: (VerificationStage) async throws -> Result
    ) async throws -> Result {
        let certificates = try TestCertificates()
        let clock = ManualClock(start)
        let results = FakeResults()
        let passwords = FakePasswords()
        let officers = OfficerTokens(clock: clock)
        let listener = results.listener(try certificates.files(role: .testResultServer))
        let redemption = passwords.listener(try certificates.files(role: .dataDonation))
        return try await TestPostgres.withMigratedDatabase { database in
            try await TestPostgres.withClient(database.superuserConnection) { try await prepare($0) }
            return try await withService(listeners: [listener, redemption]) { _ in
                let ports = (app: TestPort.free(), internal: TestPort.free(), portal: TestPort.free())
                let all = try Self.settings(certificates, officers).merging([
                    "app.port": "\(ports.app)", "internal.port": "\(ports.internal)",
                    "portal.port": "\(ports.portal)",
                    "testResults.url": "https://localhost:\(try await listener.boundPort)",
                    "donation.url": "https://localhost:\(try await redemption.boundPort)",
                    // The machine may be busy.
                    "donation.milliseconds": "15000",
                    "postgres.connection": database.connection(as: .verification)
                        + (host.map { " host=\($0)" } ?? ""),
                ]) { $1 }.merging(settings) { $1 }
                return try await withRunningService(
                    "verification-server", settings: all, clock: clock.clock, logger: logger,
                    serve: VerificationServer.serve
                ) { runtime in
                    func client(_ role: Role, _ port: Int) throws -> ServiceClient {
                        try ServiceClient(
                            base: "https://localhost:\(port)", tls: try certificates.files(role: role),
                            name: "verification-server", deadline: .seconds(20))
                    }
                    let stage = VerificationStage(
                        clock: clock, database: database, certificates: certificates, runtime: runtime,
                        results: results, passwords: passwords, officers: officers,
                        appBase: "https://localhost:\(ports.app)",
                        internalBase: "https://localhost:\(ports.internal)",
                        portalBase: "https://localhost:\(ports.portal)",
                        apps: try client(.metadataProxy, ports.app),
                        submission: try client(.submissionServer, ports.internal),
                        portal: try client(.portal, ports.portal))
                    let result: Swift.Result<Result, any Error>
                    do {
                        result = .success(try await body(stage))
                    } catch {
                        result = .failure(error)
                    }
                    for client in [stage.apps, stage.submission, stage.portal] { await client.close() }
                    return try result.get()
                }
            }
        }
    }

    private static func settings(
        _ certificates: TestCertificates, _ officers: OfficerTokens
    ) throws -> [String: String] {
        let files = try certificates.files(role: .verificationServer)
        func file(_ name: String, _ text: String) throws -> String {
            let path = "\(certificates.directory)/\(name)"
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }
        return [
            "tls.certificate": files.certificate, "tls.key": files.key,
            "tls.authorities": "\(certificates.directory)/authority.pem",
            "secrets.tanKey": try file("tan.key", tanKey.hex),
            "secrets.teleTANKey": try file("teletan.key", String(repeating: "2e", count: 32)),
            "officers.keys": try file("officers.json", officers.keySet),
            "officers.issuer": OfficerTokens.issuer, "officers.audience": OfficerTokens.audience,
        ]
    }

    /// Decrypts the TANs that the service issues.
    var tanCipher: TANCipher {
        get throws { TANCipher(try #require(HashKey(bytes: Self.tanKey))) }
    }

    private static let tanKey = [UInt8](repeating: 0x1f, count: HashKey.count)

    // MARK: What callers do

    func register(
        _ proof: RegistrationTokenRequest.Proof, _ key: IdempotencyKey? = nil
    ) async throws -> RegistrationToken {
        try await apps.call(
            VerificationAPI.registrationToken, RegistrationTokenRequest(proof, idempotencyKey: key)
        ).registrationToken
    }

    /// A registered test with a result.
    func registered(_ guid: HashedGUID, _ code: TestResultCode = .pcrPositive) async throws -> RegistrationToken {
        results.set(code, for: guid)
        return try await register(.guid(guid))
    }

    func testResult(_ token: RegistrationToken) async throws -> TestResultResponse {
        try await apps.call(VerificationAPI.testResult, RegisteredTestRequest(token))
    }

    func tan(_ token: RegistrationToken) async throws -> TAN {
        try await apps.call(VerificationAPI.tan, RegisteredTestRequest(token)).tan
    }

    /// The TAN of a new positive test.
    func freshTAN(_ number: Int = 0) async throws -> TAN {
        try await tan(try await registered(.numbered(number)))
    }

    func teleTAN(_ kind: TeleTANKind) async throws -> TeleTAN {
        var claims = OfficerTokens.Claims()
        claims.roles = #"["c19hotline","c19hotline_event"]"#
        return try await portal.call(
            VerificationAPI.teleTAN, TeleTANRequest(officerToken: try officers.token(claims), kind: kind)
        ).value
    }

    func reserve(_ tan: TAN, _ tag: Digest, _ purpose: UploadPurpose = .diagnosisKeys) async throws
        -> TANOutcomes.Outcome?
    {
        try await reserve([TANReservation(tan: tan, tag: tag, purpose: purpose)]).first
    }

    func reserve(_ reservations: [TANReservation]) async throws -> [TANOutcomes.Outcome] {
        try await submission.call(VerificationAPI.reservations, TANReservations(reservations)).outcomes
    }

    /// The positions of reservations whose uploads were confirmed before.
    func confirmed(_ reservations: [TANReservation]) async throws -> [Int]? {
        try await submission.call(VerificationAPI.reservations, TANReservations(reservations)).confirmed
    }

    func confirm(_ tan: TAN, _ tag: Digest) async throws -> TANOutcomes.Outcome? {
        try await confirm([TANConfirmation(tan: tan, tag: tag)]).first
    }

    func confirm(_ confirmations: [TANConfirmation]) async throws -> [TANOutcomes.Outcome] {
        try await submission.call(VerificationAPI.confirmations, TANConfirmations(confirmations)).outcomes
    }

    /// A client for arbitrary requests to the app listener.
    func raw<R>(_ role: Role? = .metadataProxy, _ body: (RawClient) async throws -> R) async throws -> R {
        try await RawClient.with(appBase, tls: try certificates.files(role: role), body)
    }

    /// A client for arbitrary requests to the internal listener.
    func rawInternal<R>(_ role: Role?, _ body: (RawClient) async throws -> R) async throws -> R {
        try await RawClient.with(internalBase, tls: try certificates.files(role: role), body)
    }

    /// A client for arbitrary requests to the portal's listener.
    func rawPortal<R>(_ role: Role?, _ body: (RawClient) async throws -> R) async throws -> R {
        try await RawClient.with(portalBase, tls: try certificates.files(role: role), body)
    }

    // MARK: What is in the database

    /// Applies the retention rules as the service does, with its role.
    @discardableResult
    func applyRetention() async throws -> Int {
        try await TestPostgres.withClient(database.connection(as: .verification)) { client in
            try await Retention.apply(.verification, at: clock.now, in: client).map(\.removed).reduce(0, +)
        }
    }

    /// Every row of every table of the service as text, each behind its table's name.
    func rows() async throws -> [String] { try await tables("row::text") }

    /// The transactions that wrote and locked each row, and its location.
    func traces() async throws -> [String] { try await tables("xmin || ' ' || xmax || ' ' || ctid") }

    private func tables(_ columns: SQL) async throws -> [String] {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            try await client.session { session in
                let tables = try session.rows(
                    "SELECT relname FROM pg_class WHERE relnamespace = 'verification'::regnamespace AND relkind = 'r'",
                    as: String.self)
                #expect(tables.count == 8)
                return try tables.flatMap { name -> [String] in
                    let table = try #require(Identifier(validating: name))
                    return try session.rows(
                        "SELECT \(columns) FROM verification.\(identifier: table) AS row", as: String.self
                    ).map { "\(name) \($0)" }
                }
            }
        }
    }

    /// The number of rows in each table that has any, except the tables of limits and of what was forgotten.
    func counts() async throws -> [String: Int] {
        Dictionary(grouping: try await rows()) { String($0.prefix { $0 != " " }) }.mapValues(\.count)
            .filter {
                !["officer_hour", "refused_tele_tan", "forgotten_tele_tan", "forgotten_refusal"].contains($0.key)
            }
    }
}

extension HashedGUID {
    /// The hash of a number.
    static func numbered(_ number: Int) -> HashedGUID { HashedGUID(hashing: "guid-\(number)") }
}

extension Digest {
    /// The tag of a number.
    static func tag(_ number: Int) -> Digest { Digest(sha256: "tag-\(number)".utf8) }
}

extension VerificationStage {
    /// Stores a session as a registration would.
    func plantSession(_ token: RegistrationToken, _ guid: HashedGUID) async throws {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            _ = try await client.session { session in
                try session.execute(
                    """
                    INSERT INTO verification.session (token_digest, hashed_guid, created_hour)
                    VALUES (\(token.digest.bytes), \(guid.text), \(Int32(Self.start.timeIntervalSince1970 / 3600)))
                    """)
            }
        }
    }
}

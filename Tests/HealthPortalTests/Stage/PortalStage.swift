import Crypto
import Foundation
import HTTPContract
import HealthPortal
import Logging
import Postgres
import Running
import Schema
import Serving
import TLS
import TestSupport
import Testing

/// The health portal on a database of its own, with an identity provider and a verification server, and officers' browsers.
struct PortalStage: Sendable {
    let clock: ManualClock
    let database: MigratedDatabase
    let certificates: TestCertificates
    let provider: TestProvider
    let verification: TestVerification
    /// One for each replica.
    let runtimes: [ServiceRuntime]
    let bases: [String]
    let providerBases: [String]
    let tracingBases: [String]
    /// The file of the server's key.
    let sessionKey: String

    /// 2026-05-26, at noon.
    static let start = Date(timeIntervalSince1970: 1_779_796_800)

    /// - Parameters:
    ///   - settings: added to the usual ones, or replacing them.
    ///   - isProviderUp: false if the test runs the provider itself.
    static func run(
        settings: [String: String] = [:], replicas: Int = 1, isProviderUp: Bool = true, gate: Gate? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: @Sendable (PortalStage) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let clock = ManualClock(start)
        let client = P256.Signing.PrivateKey()
        let provider = TestProvider(certificates, client: client.publicKey, clock: clock, gate: gate)
        let verification = TestVerification(clock: clock)
        let listener = verification.listener(try certificates.files(role: .verificationServer))
        try await TestPostgres.withMigratedDatabase { database in
            try await withService(listeners: [listener]) { _ in
                let all = try Self.settings(certificates, client, provider).merging([
                    "verification.url": "https://localhost:\(try await listener.boundPort)",
                    "postgres.connection": database.connection(as: .healthPortal),
                ]) { $1 }.merging(settings) { $1 }
                let stage = PortalStage(
                    clock: clock, database: database, certificates: certificates, provider: provider,
                    verification: verification, runtimes: [], bases: [], providerBases: [], tracingBases: [],
                    sessionKey: all["secrets.sessionKey"] ?? "")
                if isProviderUp {
                    try await provider.run { try await stage.start(replicas, all, logger, body) }
                } else {
                    try await stage.start(replicas, all, logger, body)
                }
            }
        }
    }

    /// Starts replicas one after the other.
    private func start(
        _ count: Int, _ settings: [String: String], _ logger: Logger,
        _ body: @Sendable (PortalStage) async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body(self) }
        let ports = (TestPort.free(), TestPort.free(), TestPort.free())
        // Every replica is reached under the first one's name, as behind a balancer that passes on TCP.
        let base = "https://localhost:\(ports.0)"
        let own = [
            "listen.port": "\(ports.0)", "provider.port": "\(ports.1)",
            "tracing.port": "\(ports.2)",
            "origins": (bases + [base]).joined(separator: ","),
        ]
        try await withRunningService(
            "health-portal", settings: own.merging(settings) { $1 }, clock: clock.clock, logger: logger,
            serve: HealthPortal.serve
        ) { runtime in
            let next = PortalStage(
                clock: clock, database: database, certificates: certificates, provider: provider,
                verification: verification, runtimes: runtimes + [runtime], bases: bases + [base],
                providerBases: providerBases + ["https://localhost:\(ports.1)"],
                tracingBases: tracingBases + ["https://localhost:\(ports.2)"], sessionKey: sessionKey)
            try await next.start(count - 1, settings, logger, body)
        }
    }

    private static func settings(
        _ certificates: TestCertificates, _ client: P256.Signing.PrivateKey, _ provider: TestProvider
    ) throws -> [String: String] {
        let own = try certificates.files(role: .healthPortal)
        let door = try certificates.files(role: nil)
        func file(_ name: String, _ text: String) throws -> String {
            let path = "\(certificates.directory)/\(name)"
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }
        return [
            "tls.certificate": own.certificate, "tls.key": own.key,
            "tls.authorities": "\(certificates.directory)/authority.pem",
            "public.certificate": door.certificate, "public.key": door.key,
            "secrets.sessionKey": try file("session.key", String(repeating: "3d", count: 32)),
            "secrets.officerKey": try file("officer.key", String(repeating: "4e", count: 32)),
            "provider.issuer": provider.issuer, "provider.authorities": "\(certificates.directory)/authority.pem",
            "provider.clientKey": try file("client.key", client.pemRepresentation),
            "authorities": try file(
                "authorities.json",
                #"[{"number":"1.01.0.01.","name":"Flensburg"},{"number":"7","name":"a\"\u0301 onmouseover=x <b>"}]"#),
            "portal.authority": "Gesundheitsamt Flensburg", "portal.contact": "mailto:portal@example.org",
            "log.level": "error",
        ]
    }

    /// A browser without cookies.
    ///
    /// - Parameter replica: the one that it reaches.
    func browser(_ replica: Int = 0) -> Browser { Browser(base: bases[replica], stage: self) }

    /// A browser of an officer who has signed in.
    func officer(_ officer: TestProvider.Officer = .init(), replica: Int = 0) async throws -> Browser {
        var browser = browser(replica)
        let answer = try await browser.signIn(officer)
        try #require(answer.status == 303)
        return browser
    }

    /// Sends a log-out token as the provider does.
    func logOut(_ token: String, replica: Int = 0) async throws -> Answer {
        try await send(
            .POST, providerBases[replica] + "/backchannel-logout",
            headers: [("content-type", "application/x-www-form-urlencoded")], body: "logout_token=\(token)",
            tls: ClientTLS(trusting: "\(certificates.directory)/authority.pem"))
    }

    // MARK: What is in the database

    /// Every session as text.
    func rows() async throws -> [String] {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            try await client.session { session in
                try session.rows("SELECT row::text FROM health_portal.session AS row", as: String.self)
            }
        }
    }

    /// The sealed officers in the table.
    func sealed() async throws -> [[UInt8]] {
        try await TestPostgres.withClient(database.superuserConnection) { client in
            try await client.session { session in
                try session.rows("SELECT officer FROM health_portal.session", as: [UInt8].self)
            }
        }
    }

    /// The value of a metric with its labels.
    func metric(_ series: String, replica: Int = 0) -> String? {
        let line = runtimes[replica].metrics.text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }
        return line.map { String($0.dropFirst(series.count + 1)) }
    }
}

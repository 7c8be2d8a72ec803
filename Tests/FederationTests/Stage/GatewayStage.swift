import Crypto
import DevelopmentGateway
import DevelopmentGatewayAPI
import ExposureKeys
import FederationFormat
import Foundation
import Logging
import Postgres
import Running
import Schema
import Serving
import TLS
import TestSupport
import Testing

@testable import Federation

/// A simulated gateway with two other countries, and this country's exchange with it, on a database.
struct GatewayStage: Sendable {
    let database: FederationStage
    let gateway: SimulatedGateway
    let clock: ManualClock
    let exchange: GatewayExchange
    let runtime: ServiceRuntime
    /// Those of ``runtime``.
    let settings: [String: String]
    /// The gateway's certificate as the callback's client.
    let caller: FederationIdentity
    /// With which France calls the gateway.
    let france: Settings

    /// Of the machine's time, too, by which TLS judges.
    private static let validity =
        Date(timeIntervalSince1970: 1_000_000_000)..<Date(timeIntervalSince1970: 2_200_000_000)
    private static let countries: [(String, FederationIdentity.KeyKind)] = [("FR", .p256), ("NL", .p384)]

    /// - Parameters:
    ///   - changes: added to the usual settings, or replacing them.
    ///   - seconds: by how many the gateway's clock is ahead.
    static func run<Outcome: Sendable>(
        _ mode: GatewayMode = .efgs, settings changes: [String: String] = [:], gatewayAhead seconds: Double = 0,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: @Sendable (GatewayStage) async throws -> Outcome
    ) async throws -> Outcome {
        let clock = ManualClock(FederationStage.now)
        let certificates = try TestCertificates()
        let anchor = try FederationAnchor.make(validity: validity)
        let home = try SimulatedCountry.make(.home, validity: validity)
        let others = try countries.map { code, kind in
            try SimulatedCountry.make(try #require(CountryCode(code)), kind, validity: validity)
        }
        let gateway = try SimulatedGateway(
            mode, anchor: anchor, home: home.member, countries: others,
            clock: WallClock({ clock.now.addingTimeInterval(seconds) }, movedBy: { clock.clock.movedBy }))
        func file(_ name: String, _ text: String) throws -> String {
            let path = "\(certificates.directory)/\(name)"
            try DurableFile.write(Data(text.utf8), to: URL(filePath: path), mode: 0o600)
            return path
        }
        let server = try certificates.files(role: nil, name: "gateway")
        let listener = gateway.listener(
            TLSFiles(
                certificate: server.certificate, key: server.key,
                authorities: try file(
                    "clients.pem", ([home] + others).map(\.authentication.certificate.pem).joined())))
        let caller = try FederationIdentity.make(
            .authentication, country: nil, name: "Simulated gateway", validity: validity)
        let settings = try [
            "gateway.certificate": file("home.pem", home.authentication.certificate.pem),
            "gateway.key": file("home.key", home.authentication.privateKeyPEM),
            "gateway.authorities": #require(server.authorities),
            "gateway.trustAnchor": file("anchor.pem", anchor.anchor.certificate.pem),
            "gateway.protocol": mode.rawValue, "gateway.deadline": "30",
            "signing.certificate": file("signing.pem", home.signing.certificate.pem),
            "signing.key": file("signing.key", home.signing.privateKeyPEM),
            "callback.gateway": file("caller.pem", caller.certificate.pem),
            "upload.countries": "FR,NL",
        ].merging(changes) { $1 }
        let france = try settings.merging([
            "origin": "FR",
            "gateway.certificate": file("france.pem", others[0].authentication.certificate.pem),
            "gateway.key": file("france.key", others[0].authentication.privateKeyPEM),
        ]) { $1 }
        return try await FederationStage.run { database in
            try await withService(listeners: [listener], clock: clock.clock) { _ in
                let url = "https://localhost:\(try await listener.boundPort)"
                let settings = settings.merging(["gateway.url": url]) { $1 }
                let runtime = ServiceRuntime(
                    name: "federation", settings: settings, clock: clock.clock, logger: logger)
                let exchange = try await GatewayExchange(
                    database.client, by: DatabaseClock(of: database.client, movedLike: clock.clock), runtime)
                let stage = GatewayStage(
                    database: database, gateway: gateway, clock: clock, exchange: exchange, runtime: runtime,
                    settings: settings,
                    caller: caller, france: Settings(france.merging(["gateway.url": url]) { $1 }))
                return try await body(stage)
            }
        }
    }

    // MARK: At home

    /// The last hour that has ended.
    var lastHour: Hour { Hour(endedBy: clock.now) }

    /// Folds and publishes keys of the stream for other countries in the last hour.
    @discardableResult
    func publish(_ count: Int, seed: UInt64 = 1) async throws -> Set<KeyData> {
        let keys = try Sample.homeKeys(count, seed: seed, at: clock.now)
        try await database.fold(lastHour, keys.map { StreamedKey($0, .federated) })
        try await database.publish(lastHour...lastHour)
        return Set(keys.map(\.data))
    }

    /// Shares, sends, looks and reads once.
    func run() async throws { _ = try await exchange.run(asOf: clock.now) }

    /// Goes on by some time, and runs again.
    func run(after seconds: Double) async throws {
        clock.advance(by: seconds)
        try await run()
    }

    // MARK: Abroad

    /// What France downloads of this country.
    func arrived() throws -> [[KeyData]] {
        gateway.batch()
        return try gateway.received(ReceivedQuery(country: "FR")).uploads.filter { $0.country == "DE" }.map { upload in
            try upload.keys.map { try #require(Data(base64Encoded: $0).flatMap { KeyData($0) }) }
        }
    }

    /// Another country uploads, and the gateway makes batches.
    @discardableResult
    func upload(_ country: String, _ keys: Int, _ kind: CountryUpload.Kind = .good, batched: Bool = true) async throws
        -> Set<KeyData>
    {
        let uploaded = try await gateway.upload(CountryUpload(country: country, kind: kind, keys: keys))
        #expect(uploaded.status == 201)
        if batched { gateway.batch() }
        return Set(try uploaded.keys.map { try #require(Data(base64Encoded: $0).flatMap { KeyData($0) }) })
    }

    func imported() async throws -> Set<KeyData> { Set(try await database.imported().map(\.data)) }

    /// How often a batch was asked for, by the service's metrics.
    var downloads: Int {
        runtime.metrics.text.split(separator: "\n")
            .filter { $0.hasPrefix("federation_gateway_calls_total{operation=\"download\"") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    func troubled() async throws -> [String] {
        try await database.status.status().troubled.map { "\($0.state) \($0.reason)" }.sorted()
    }
}

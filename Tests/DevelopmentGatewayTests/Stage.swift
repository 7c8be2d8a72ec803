import DevelopmentGatewayAPI
import ExposureKeys
import FederationFormat
import Foundation
import HTTPTypes
import OutsideCalls
import Running
import Serving
import Synchronization
import TLS
import TestSupport
import Testing

@testable import DevelopmentGateway

/// A gateway behind its real listener, and countries that call it.
final class Stage: Sendable {
    static let germany = country("DE")
    static let austria = country("AT")
    static let spain = country("ES")
    static let france = country("FR")
    /// Noon on 2030-03-17.
    static let noon = Date(timeIntervalSince1970: 1_899_979_200)
    static let today = Day(containing: noon)
    /// Of the machine's time, too, by which TLS judges.
    static let validity = Date(timeIntervalSince1970: 1_000_000_000)..<Date(timeIntervalSince1970: 2_200_000_000)

    let clock = ManualClock(Stage.noon)
    let anchor: FederationAnchor
    /// Those that call over the network. The gateway knows all of them but the stranger.
    let germany: SimulatedCountry
    let austria: SimulatedCountry
    let stranger: SimulatedCountry
    let france: SimulatedCountry
    let gateway: SimulatedGateway
    /// The calls of countries, as URLs.
    let calls = Mutex<[String]>([])
    /// What countries answer.
    let answer = Mutex<Int?>(202)
    private let files: TestCertificates

    private static func country(_ text: String) -> CountryCode {
        guard let code = CountryCode(text) else { preconditionFailure("no country") }
        return code
    }

    private let base = Mutex("")

    private init(_ mode: GatewayMode) throws {
        anchor = try FederationAnchor.make(validity: Self.validity)
        germany = try SimulatedCountry.make(Self.germany, validity: Self.validity)
        austria = try SimulatedCountry.make(Self.austria, .p384, validity: Self.validity)
        stranger = try SimulatedCountry.make(Self.spain, validity: Self.validity)
        france = try SimulatedCountry.make(Self.france, validity: Self.validity)
        files = try TestCertificates()
        let record = Record()
        gateway = try SimulatedGateway(
            mode, anchor: anchor, home: germany.member, countries: [france], clock: clock.clock
        ) { await record.call($0) }
        let members = [austria.member]
        let anchor = anchor
        try gateway.changeCertificates { table in
            for member in members {
                table.rows.append(try .init(member.authentication, of: member.code, .authentication, by: anchor))
                table.rows.append(try .init(member.signing, of: member.code, .signing, by: anchor))
            }
        }
        record.stage.withLock { $0 = Weak(self) }
    }

    /// Runs a gateway while `body` uses it.
    static func with(_ mode: GatewayMode = .efgs, _ body: (Stage) async throws -> Void) async throws {
        let stage = try Stage(mode)
        let listener = stage.gateway.listener(try stage.serverFiles())
        try await withService(listeners: [listener], clock: stage.clock.clock) { _ in
            let port = try await listener.boundPort
            stage.base.withLock { $0 = "https://localhost:\(port)" }
            try await body(stage)
        }
    }

    /// The listener trusts the countries' certificates, which sign themselves.
    private func serverFiles() throws -> TLSFiles {
        let own = try files.files(role: nil, name: "gateway")
        let trusted = [germany, austria, stranger].map(\.authentication)
        return TLSFiles(
            certificate: own.certificate, key: own.key,
            authorities: try write(trusted.map(\.certificate.pem).joined(), "clients.pem"))
    }

    func write(_ text: String, _ name: String) throws -> String {
        let path = "\(files.directory)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    /// The files of a client.
    func client(_ identity: FederationIdentity) throws -> TLSFiles {
        let name = identity.certificate.thumbprint
        return TLSFiles(
            certificate: try write(identity.certificate.pem, "\(name).pem"),
            key: try write(identity.privateKeyPEM, "\(name).key"), authorities: "\(files.directory)/authority.pem")
    }

    // MARK: Requests

    /// Sends a request to the gateway.
    /// - Parameter identity: by default Germany's.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ fields: [String: String] = [:], body: [UInt8]? = nil,
        as identity: FederationIdentity? = nil, within time: Duration = .seconds(60), upTo limit: Int = 4 << 20
    ) async throws -> GatewayAnswer {
        let calls = try OutsideCalls(client(identity ?? germany.authentication), peer: "gateway", reach: .direct)
        var request = OutsideRequest(base.withLock { $0 } + path, method: method, body: body)
        for (name, value) in fields { request.fields[try #require(HTTPField.Name(name))] = value }
        return GatewayAnswer(response: try await calls.send(request, within: time, limit: limit))
    }

    // MARK: Uploads

    static let protobuf = "application/protobuf; version=1.0"
    static let json = "application/json; version=1.0"

    /// Random keys of yesterday.
    func keys(
        _ count: Int, from origin: CountryCode = Stage.germany, data: [KeyData]? = nil
    ) throws -> [FederatedKey] {
        let yesterday = Day(containing: clock.now).advanced(by: -1)
        let data =
            data ?? (0..<count).map { _ in KeyData(high: .random(in: .min ... .max), low: .random(in: .min ... .max)) }
        let period = try #require(RollingPeriod(start: yesterday.firstInterval, length: 144))
        return try data.map { data in
            let key = FederatedKey(
                data: data, rollingPeriod: period, riskLevel: .unset, visitedCountries: [origin, Self.france],
                origin: origin, reportType: .confirmedTest, daysSinceOnset: 0)
            return try #require(key)
        }
    }

    /// What goes into an upload; each part can be changed.
    struct Parcel {
        var body: [UInt8]
        var fields: [String: String]

        /// A name in the headers, or nothing.
        subscript(field: String) -> String? {
            get { fields[field] }
            set { fields[field] = newValue }
        }
    }

    /// An upload with a correct signature.
    func parcel(
        _ keys: [FederatedKey], tag: String? = nil, of country: SimulatedCountry? = nil, isJSON: Bool = false
    ) async throws -> Parcel {
        let country = country ?? germany
        let signed = KeyRecords(keys.map { UncheckedKey($0) }).signedBytes
        return Parcel(
            body: isJSON ? try KeyBatch.json(keys) : try KeyBatch.protobuf(keys),
            fields: [
                "Content-Type": isJSON ? Self.json : Self.protobuf, "batchTag": tag ?? "\(country.code)-\(UUID())",
                "batchSignature": try await BatchSignature.make(over: signed, by: country.signing.signer).field,
            ])
    }

    func send(_ parcel: Parcel, as identity: FederationIdentity? = nil) async throws -> GatewayAnswer {
        try await send(.post, "/diagnosiskeys/upload", parcel.fields, body: parcel.body, as: identity)
    }

    /// Uploads keys as their country.
    @discardableResult func upload(
        _ keys: [FederatedKey], tag: String? = nil, of country: SimulatedCountry? = nil
    ) async throws -> GatewayAnswer {
        try await send(
            try await parcel(keys, tag: tag, of: country), as: (country ?? germany).authentication)
    }

    // MARK: Downloads

    func download(
        _ day: Day = Stage.today, _ tag: String? = nil, accept: String? = Stage.protobuf,
        as country: SimulatedCountry? = nil
    ) async throws -> GatewayAnswer {
        let fields = ["batchTag": tag, "Accept": accept].compactMapValues { $0 }
        return try await send(
            .get, "/diagnosiskeys/download/\(day.name)", fields, as: (country ?? germany).authentication)
    }

    func audit(
        _ tag: String, _ day: Day = Stage.today, as country: SimulatedCountry? = nil
    ) async throws -> GatewayAnswer {
        try await send(
            .get, "/diagnosiskeys/audit/download/\(day.name)/\(tag)", ["Accept": "application/json"],
            as: (country ?? germany).authentication)
    }

    /// Downloads a batch, and audits it, as a country that trusts the anchor.
    func verdicts(_ tag: String, as country: SimulatedCountry? = nil) async throws -> BatchAudit {
        let batch = try ReceivedBatch(
            protobuf: try await download(Stage.today, tag, as: country).body, limit: 1 << 20)
        let entries = try #require(
            AuditEntry.list(json: try await audit(tag, as: country).body, limit: 1 << 20))
        return BatchAudit(
            of: batch, entries, trusting: anchor.anchor, own: (country ?? germany).code, at: clock.now)
    }

    /// Uploads keys of France.
    @discardableResult func frenchUpload(
        _ kind: CountryUpload.Kind = .good, keys: Int = 3
    ) async throws -> CountryUploaded {
        try await gateway.upload(CountryUpload(country: "FR", kind: kind, keys: keys))
    }
}

/// The gateway calls back before its stage is complete.
private final class Record: Sendable {
    let stage = Mutex(Weak(nil))

    func call(_ url: String) async -> Int? {
        guard let stage = stage.withLock({ $0.stage }) else { return nil }
        stage.calls.withLock { $0.append(url) }
        return stage.answer.withLock { $0 }
    }
}

private struct Weak: Sendable {
    weak let stage: Stage?

    init(_ stage: Stage?) { self.stage = stage }
}

/// An answer as tests look at it.
struct GatewayAnswer {
    fileprivate let response: OutsideResponse

    var status: Int { response.status.code }
    var body: [UInt8] { response.body }
    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(field: String) -> String? { HTTPField.Name(field).flatMap { response.fields[$0] } }

    /// The keys of a downloaded batch.
    var keys: [FederatedKey] {
        get throws { try ReceivedBatch(protobuf: body, limit: 8 << 20).keys }
    }

    /// The reason of a refusal.
    var detail: String? {
        let members = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
        return members?["detail"] as? String ?? members?["message"] as? String
    }
}

import DevelopmentGatewayAPI
import ExposureKeys
import FederationFormat
import Foundation
import HTTPContract
import HTTPTypes
import Running
import Serving
import Synchronization
import TLS
import TestSupport
import Testing

@testable import DevelopmentGateway

/// What developers and tests ask of the gateway, and the executable's front door.
@Suite(.timeLimit(.minutes(5))) struct ControlTests {
    private static let tag = "20300317-1"

    @Test func `a good upload of a simulated country verifies, and is what others receive`() async throws {
        try await Stage.with { stage in
            let uploaded = try await stage.frenchUpload(keys: 5)
            #expect(uploaded.status == 201 && uploaded.keys.count == 5)
            let data = ["AAECAwQFBgcICQoLDA0ODw=="]
            let again = CountryUpload(country: "FR", data: data, visited: ["DE", "PL"])
            #expect(try await stage.gateway.upload(again) == CountryUploaded(status: 201, keys: data))
            #expect(try await stage.gateway.upload(again).status == 409)
            stage.gateway.batch()
            #expect(try await stage.verdicts(Self.tag).verdicts.map(\.outcome) == [.verified, .verified])
            let keys = try await stage.download().keys
            #expect(keys.last?.visitedCountries.map(\.text) == ["DE", "PL"])
            #expect(keys.allSatisfy { $0.imported != nil })
            let received = try stage.gateway.received(ReceivedQuery(country: "DE"))
            #expect(received.uploads.map(\.keys) == [uploaded.keys, data])
            #expect(received.uploads.allSatisfy { $0.batch == Self.tag && $0.country == "FR" })
            #expect(try stage.gateway.received(ReceivedQuery(country: "FR")).uploads.isEmpty)
        }
    }

    @Test func `a bad upload has keys that no importer takes, and the gateway takes them`() async throws {
        try await Stage.with { stage in
            #expect(try await stage.frenchUpload(.bad, keys: 8).status == 201)
            stage.gateway.batch()
            let keys = try await stage.download().keys
            #expect(try await stage.verdicts(Self.tag).verdicts.map(\.outcome) == [.verified])
            #expect(keys.count { $0.rollingPeriod.start.rawValue % 144 != 0 } == 2)
            #expect(keys.count { $0.imported == nil } == 2)
            #expect(keys.count { $0.reportType == .selfReport } == 2)
        }
    }

    @Test func `forged and replayed uploads are stored, and their audits say so`() async throws {
        try await Stage.with { stage in
            await #expect(throws: Problem.badRequest) { try await stage.frenchUpload(.replayed) }
            try await stage.frenchUpload()
            #expect(try await stage.frenchUpload(.forged).status == 201)
            #expect(try await stage.frenchUpload(.replayed).status == 201)
            stage.gateway.batch()
            #expect(
                try await stage.verdicts(Self.tag).verdicts.map(\.outcome) == [
                    .verified, .failed(.signature(.otherSigner)), .failed(.signature(.mismatch)),
                ])
        }
    }

    @Test func `an oversized upload and one of nobody are refused`() async throws {
        try await Stage.with { stage in
            let oversized = try await stage.frenchUpload(.oversized)
            #expect(oversized.status == 413 && oversized.keys.count == 5001)
            for upload in [
                CountryUpload(country: "DE", keys: 1), CountryUpload(country: "France", keys: 1),
                CountryUpload(country: "FR", data: ["AAAA"]), CountryUpload(country: "FR", keys: 1, visited: ["d"]),
                CountryUpload(country: "FR", keys: -1), CountryUpload(country: "FR", keys: 1, rollingStart: -1),
            ] {
                await #expect(throws: Problem.badRequest) { try await stage.gateway.upload(upload) }
            }
            #expect(
                try await stage.gateway.upload(CountryUpload(country: "FR", keys: 1, rollingStart: 7)).status == 400)
            #expect(stage.gateway.batch().isEmpty)
        }
    }

    @Test func `the clock can be moved ahead, and never back`() async throws {
        try await Stage.with { stage in
            stage.gateway.advance(to: Stage.today.advanced(by: 1).firstHour.start)
            try await stage.frenchUpload()
            #expect(stage.gateway.batch().map(\.text) == ["20300318-1"])
            stage.gateway.advance(to: Stage.noon)
            try await stage.frenchUpload()
            #expect(stage.gateway.batch().map(\.text) == ["20300318-2"])
        }
    }

    // MARK: The executable

    /// Settings of the executable, whose home country answers callbacks at a port.
    private func settings(_ stage: Stage, _ certificates: TestCertificates) throws -> [String: String] {
        let server = try certificates.files(role: nil, name: "development-gateway")
        let caller = try certificates.files(role: .gateway)
        let home = try stage.client(stage.germany.authentication)
        let anchor = try FederationIdentity.make(.anchor, country: nil, name: "anchor", validity: Stage.validity)
        return [
            "tls.certificate": server.certificate, "tls.key": server.key, "tls.authorities": server.authorities ?? "",
            "clients.authorities": home.certificate, "home.gatewayCertificate": home.certificate,
            "home.signingCertificate": try stage.write(stage.germany.signing.certificate.pem, "signing.pem"),
            "anchor.certificate": try stage.write(anchor.certificate.pem, "anchor.pem"),
            "anchor.key": try stage.write(anchor.privateKeyPEM, "anchor.key"),
            "callback.certificate": caller.certificate, "callback.key": caller.key,
            "callback.authorities": caller.authorities ?? "", "listen.port": "\(TestPort.free())",
            "control.port": "\(TestPort.free())",
        ]
    }

    @Test func `the executable batches, and calls home over TLS as the real one does`() async throws {
        try await Stage.with { stage in
            let certificates = try TestCertificates()
            let agents = Agents()
            let callback = Listener(
                name: "callback", host: "127.0.0.1", port: 0,
                security: .mutualTLS(try certificates.files(role: .federation))
            ) { routes in
                routes.on(.get, "/version/v1/callback", callers: [.gateway]) { exchange in
                    agents.add("\(exchange.request.headers[.userAgent] ?? "") \(exchange.query)")
                    return .init(status: .accepted)
                }
            }
            let settings = try settings(stage, certificates)
            let client = try stage.client(stage.germany.authentication)
            let trusted = TLSFiles(
                certificate: client.certificate, key: client.key, authorities: settings["tls.authorities"])
            try await withService(listeners: [callback]) { _ in
                let port = try await callback.boundPort
                try await withRunningService(
                    "development-gateway", settings: settings, clock: stage.clock.clock, serve: DevelopmentGateway.serve
                ) { _ in
                    let base = "https://localhost:\(settings["listen.port"] ?? "")"
                    let put = try await RawClient.with(base, tls: trusted) {
                        try await $0.send(
                            "PUT", "/diagnosiskeys/callback/1?url=https://localhost:\(port)/version/v1/callback")
                    }
                    #expect(put.status == 200)
                    let control = "http://127.0.0.1:\(settings["control.port"] ?? "")/version/v1"
                    for country in ["FR", "NL", "PL"] {
                        let answer = try await post(
                            "\(control)/uploads", #"{"country":"\#(country)","kind":"good","keys":2}"#)
                        #expect(answer.status == 200 && answer.body.contains(#""status":201"#))
                    }
                    #expect(try await post("\(control)/batching", "{}").body == #"{"tags":["20300317-1"]}"#)
                    #expect(agents.all == ["EFGS Callback Engine batchTag=20300317-1&date=2030-03-17"])
                    let received = try await post("\(control)/received", #"{"country":"DE"}"#)
                    #expect(received.body.contains(#""country":"PL""#))
                    #expect(
                        try await post("\(control)/behaviour", #"{"fault":"unavailable","times":1}"#).status == 204)
                    #expect(
                        try await post("\(control)/behaviour", #"{"fault":"loop","operation":"audit"}"#).status == 400)
                }
            }
        }
    }

    @Test func `the executable names a setting that is wrong`() async throws {
        try await Stage.with { stage in
            let certificates = try TestCertificates()
            let good = try settings(stage, certificates)
            for (key, value) in [
                ("mode", "swiss"), ("home.country", "de"), ("countries", "FR,Poland"),
                ("anchor.key", good["tls.key"] ?? ""),
                ("home.signingCertificate", good["tls.key"] ?? ""), ("callback.key", "/nowhere"),
            ] {
                var settings = good
                settings[key] = value
                let runtime = ServiceRuntime(
                    name: "development-gateway", settings: settings, clock: stage.clock.clock,
                    logger: CapturedLog().logger())
                let problem = await #expect(throws: ConfigurationProblem.self) {
                    try await DevelopmentGateway.serve(runtime)
                }
                #expect(problem?.description.contains(key) == true)
            }
        }
    }
}

private final class Agents: Sendable {
    private let calls = Mutex<[String]>([])

    func add(_ call: String) { calls.withLock { $0.append(call) } }

    var all: [String] { calls.withLock { $0 } }
}

import FederationFormat
import Foundation
import HTTPTypes
import NIOHTTP1
import TestSupport
import Testing

@testable import DevelopmentGateway

/// Who is let in (efgs-federation-gateway, `CertificateAuthentificationFilter` and its tests).
@Suite(.timeLimit(.minutes(5))) struct AuthenticationTests {
    private static let operations: [(HTTPMethod, String)] = [
        (.GET, "/diagnosiskeys/download/2030-03-17"), (.GET, "/diagnosiskeys/audit/download/2030-03-17/20300317-1"),
        (.GET, "/diagnosiskeys/callback"), (.PUT, "/diagnosiskeys/callback/1?url=https://127.0.0.1/"),
        (.DELETE, "/diagnosiskeys/callback/1"),
    ]

    @Test func `a certificate that the gateway doesn't know is refused everywhere`() async throws {
        try await Stage.with { stage in
            for (method, path) in Self.operations {
                let answer = try await stage.send(method, path, as: stage.stranger.authentication)
                #expect(answer.status == 403)
                #expect(answer.detail == "Client is not authorized to access the service")
            }
            let parcel = try await stage.parcel(stage.keys(1))
            #expect(try await stage.send(parcel, as: stage.stranger.authentication).status == 403)
        }
    }

    @Test func `rows that don't fit their certificates are refused`() async throws {
        try await Stage.with { stage in
            let thumbprint = stage.germany.authentication.certificate.thumbprint
            let signature = try stage.anchor.sign(stage.germany.signing.certificate.pem)
            let rogue = try FederationAnchor.make(validity: Stage.validity)
            let forged = try rogue.sign(stage.germany.authentication.certificate.pem)
            let changes: [@Sendable (inout CertificateTable.Row) -> Void] = [
                { $0.isRevoked = true }, { $0.kind = .callback }, { $0.kind = .signing },
                { $0.country = Stage.austria },
                { $0.signature = signature }, { $0.signature = forged }, { $0.signature = "" }, { $0.pem = "" },
                { $0.pem.removeLast(30) },
            ]
            for (number, change) in changes.enumerated() {
                let before = stage.gateway.state.with(at: stage.clock.now) { $0.table }
                stage.gateway.changeCertificates { table in
                    for row in table.rows.indices where table.rows[row].thumbprint == thumbprint {
                        change(&table.rows[row])
                    }
                }
                #expect(try await stage.send(.GET, "/diagnosiskeys/callback").status == 403, "\(number)")
                stage.gateway.changeCertificates { $0 = before }
            }
            #expect(try await stage.send(.GET, "/diagnosiskeys/callback").status == 200)
        }
    }

    @Test func `a certificate without a country is a mistake`() async throws {
        try await Stage.with { stage in
            let nameless = try FederationIdentity.make(
                .authentication, country: nil, name: "nobody", validity: Stage.validity)
            let row = try CertificateTable.Row(
                nameless.certificate, of: Stage.germany, .authentication, by: stage.anchor)
            stage.gateway.changeCertificates { $0.rows.append(row) }
            #expect(throws: Refusal(.badRequest, "Client Certificate must contain country property")) {
                try stage.gateway.state.with(at: stage.clock.now) { try $0.table.caller(row.thumbprint) }
            }
        }
    }

    @Test func `what the gateway can do is told to everybody with a certificate`() async throws {
        try await Stage.with { stage in
            let answer = try await stage.send(.OPTIONS, "/diagnosiskeys", as: stage.stranger.authentication)
            #expect(answer.status == 200)
            #expect(answer["allow"] == "POST,GET,OPTIONS")
            #expect(answer["accept"] == "application/json; version=1.0, application/protobuf; version=1.0")
        }
    }

    @Test func `a certificate that the listener doesn't trust doesn't get through the handshake`() async throws {
        try await Stage.with { stage in
            await #expect(throws: (any Error).self) {
                try await stage.send(.OPTIONS, "/diagnosiskeys", as: stage.france.authentication)
            }
        }
    }
}

import ExposureKeys
import FederationFormat
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import DevelopmentGateway

/// `GET /diagnosiskeys/audit/download/{date}/{batchTag}` (efgs-federation-gateway, `AuditController` and its tests).
@Suite(.timeLimit(.minutes(5))) struct AuditTests {
    @Test func `every upload has an entry that proves its country, the caller's own too`() async throws {
        try await Stage.with { stage in
            try await stage.upload(stage.keys(2, from: Stage.austria), of: stage.austria)
            try await stage.upload(stage.keys(3))
            try await stage.frenchUpload(keys: 4)
            try await stage.upload(stage.keys(5, from: Stage.austria), of: stage.austria)
            let tag = try #require(stage.gateway.batch().first).text
            let answer = try await stage.audit(tag)
            #expect(answer.status == 200)
            let entries = try #require(AuditEntry.list(json: answer.body, limit: 1 << 20))
            #expect(entries.map(\.country) == ["AT", "DE", "FR", "AT"])
            #expect(entries.map(\.amount) == [2, 3, 4, 5])
            #expect(entries.allSatisfy { $0.uploadedTime == "2030-03-17T12:00:00.000Z" })
            #expect(entries[1].uploaderThumbprint == stage.germany.authentication.certificate.thumbprint)
            #expect(entries[1].uploaderCertificate == stage.germany.authentication.certificate.pem)
            let audit = try await stage.verdicts(tag)
            #expect(audit.verdicts.map(\.outcome) == [.verified, .own, .verified, .verified])
            #expect(audit.unclaimed.isEmpty)
            // Of the same batch Austria gets other keys.
            #expect(
                try await stage.verdicts(tag, as: stage.austria).verdicts.map(\.outcome)
                    == [.own, .verified, .verified, .own])
        }
    }

    @Test func `a batch is audited under its own day`() async throws {
        try await Stage.with { stage in
            try await stage.frenchUpload()
            stage.gateway.batch()
            #expect(try await stage.audit("20300317-1").status == 200)
            #expect(try await stage.audit("20300317-2").status == 404)
            #expect(try await stage.audit("20300317-1", Stage.today.advanced(by: -1)).status == 404)
            #expect(try await stage.audit("20300317-1", Stage.today.advanced(by: -3)).status == 410)
            #expect(
                try await stage.send(
                    .GET, "/diagnosiskeys/audit/download/2030-03-17/20300317-1",
                    [("Accept", "application/protobuf; version=1.0")]
                ).status == 406)
        }
    }

    @Test func `a certificate that is gone or spoilt is left out, a revoked one isn't`() async throws {
        try await Stage.with { stage in
            try await stage.frenchUpload()
            let tag = try #require(stage.gateway.batch().first).text
            func entry() async throws -> AuditEntry {
                try #require(AuditEntry.list(json: try await stage.audit(tag).body, limit: 1 << 20)?.first)
            }
            stage.gateway.changeCertificates { table in
                for row in table.rows.indices where table.rows[row].country == Stage.france {
                    table.rows[row].isRevoked = true
                }
            }
            #expect(try await entry().uploaderCertificate != nil)
            #expect(try await entry().signingCertificate != nil)
            stage.gateway.changeCertificates { table in
                table.rows.removeAll { $0.country == Stage.france && $0.kind == .authentication }
                for row in table.rows.indices where table.rows[row].country == Stage.france {
                    // Line ends of two characters are another text than the operator signed.
                    table.rows[row].pem = table.rows[row].pem.replacing("\n", with: "\r\n") + "#"
                }
            }
            let spoilt = try await entry()
            #expect(spoilt.uploaderCertificate == nil && spoilt.uploaderOperatorSignature == nil)
            #expect(spoilt.signingCertificate == nil && spoilt.signingCertificateOperatorSignature == nil)
            #expect(spoilt.uploaderSigningThumbprint == stage.france.signing.certificate.thumbprint)
            #expect(spoilt.batchSignature != nil)
        }
    }
}

import Foundation
import SwiftASN1
import TestSupport
import Testing
import Vigil
import X509

@Suite("The certificates for a federation")
struct FederationCertificatesTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let day: TimeInterval = 86_400

    private func with(_ body: (StateFolder) throws -> Void) async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try body(folder)
        }
    }

    private func subject(_ unit: String = "Infektionsschutz") throws -> FederationCertificates.Subject {
        try .init(country: "DE", organisation: "Amt für Beispiele", unit: unit, email: "wache@example.org")
    }

    private func certificate(_ name: String, in folder: StateFolder) throws -> Certificate {
        try Certificate(pemEncoded: String(contentsOfFile: folder.certificate(name), encoding: .utf8))
    }

    @Test("name the country first, are signed by their own keys, and are valid for a year")
    func content() async throws {
        try await with { folder in
            let made = try FederationCertificates(in: folder, now: Self.now).prepare(subject())
            #expect(made.map(\.name) == [FederationCertificates.signing, FederationCertificates.gateway])
            for made in made {
                let certificate = try certificate(made.name, in: folder)
                let first = try #require(certificate.subject.first?.first)
                #expect(first.type == .RDNAttributeType.countryName && String(first.value) == "DE")
                #expect(certificate.issuer == certificate.subject)
                #expect(certificate.version == .v3)
                #expect(certificate.publicKey.isValidSignature(certificate.signature, for: certificate))
                #expect(certificate.notValidAfter == Self.now + 365 * Self.day)
                let key = try Certificate.PrivateKey(
                    pemEncoded: try #require(try folder.read(folder.secret("\(made.name).key"))))
                #expect(key.publicKey == certificate.publicKey)
                let isClient = try certificate.extensions.extendedKeyUsage?.contains(.clientAuth) ?? false
                #expect(isClient == (made.name == FederationCertificates.gateway))
                let signs = try certificate.extensions.keyUsage?.digitalSignature ?? false
                #expect(signs == (made.name == FederationCertificates.signing))
                #expect(made.fingerprint.count == 95 && !made.isKept)
                let text = try String(contentsOfFile: folder.certificate(made.name), encoding: .utf8)
                #expect(text.hasSuffix("-----END CERTIFICATE-----\n") && !text.contains("\r"))
            }
        }
    }

    @Test("are kept however old they are, until somebody wants new ones")
    func kept() async throws {
        try await with { folder in
            let first = try FederationCertificates(in: folder, now: Self.now).prepare(subject())
            let later = FederationCertificates(in: folder, now: Self.now + 400 * Self.day)
            let kept = try later.prepare(subject("Other"))
            #expect(kept.allSatisfy { $0.isKept })
            #expect(kept.map(\.fingerprint) == first.map(\.fingerprint))
            let forced = try later.prepare(subject(), force: true)
            #expect(!forced.contains { $0.isKept })
            #expect(Set(forced.map(\.fingerprint)).isDisjoint(with: first.map(\.fingerprint)))
        }
    }

    @Test("that belong to other keys aren't replaced silently")
    func otherKey() async throws {
        try await with { folder in
            let certificates = FederationCertificates(in: folder, now: Self.now)
            _ = try certificates.prepare(subject())
            try FileManager.default.removeItem(atPath: folder.secret("federation-signing.key"))
            #expect(throws: CommandFailure.self) { try certificates.prepare(subject()) }
            #expect(try certificates.prepare(subject(), force: true).count == 2)
        }
    }

    @Test("for development come with a trust anchor, and are renewed in time")
    func development() async throws {
        try await with { folder in
            let names = [
                FederationCertificates.signing, FederationCertificates.gateway, FederationCertificates.anchor,
            ]
            func texts() throws -> [String?] { try names.map { try folder.read(folder.certificate($0)) } }
            try FederationCertificates(in: folder, now: Self.now).prepareForDevelopment()
            let first = try texts()
            #expect(!first.contains(nil))
            try FederationCertificates(in: folder, now: Self.now + 330 * Self.day).prepareForDevelopment()
            #expect(try texts() == first)
            try FederationCertificates(in: folder, now: Self.now + 340 * Self.day).prepareForDevelopment()
            #expect(try zip(texts(), first).allSatisfy { $0 != $1 })
        }
    }

    @Test(
        "need a subject that the gateway's operator would accept",
        arguments: [
            ["de", "Amt", "Unit", "a@example.org"], ["DEU", "Amt", "Unit", "a@example.org"],
            ["DE", "", "Unit", "a@example.org"], ["DE", "Amt", "", "a@example.org"], ["DE", "Amt", "Unit", "nobody"],
            ["DE", "Amt", "Unit", "ä@example.org"], ["DE", String(repeating: "A", count: 65), "Unit", "a@example.org"],
        ])
    func subjects(parts: [String]) {
        #expect(throws: CommandFailure.self) {
            try FederationCertificates.Subject(
                country: parts[0], organisation: parts[1], unit: parts[2], email: parts[3])
        }
    }
}

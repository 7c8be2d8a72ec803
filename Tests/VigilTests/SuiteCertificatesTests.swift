import Foundation
import HTTPContract
import SwiftASN1
import Testing
import Vigil
import X509

@Suite("The certificates of a suite")
struct SuiteCertificatesTests {
    private static let now = Date()
    private static let day: TimeInterval = 86_400

    @Test("name their holder's role and lead to the authority", arguments: SuiteCertificates.holders.map(\.name))
    func chain(name: String) async throws {
        try await withSuite { folder in
            let holder = try #require(SuiteCertificates.holders.first { $0.name == name })
            let authority = try certificate(SuiteCertificates.authority, in: folder)
            let leaf = try certificate(name, in: folder)
            let names = try leaf.extensions.subjectAlternativeNames ?? SubjectAlternativeNames([])
            let roles = names.compactMap { name -> Role? in
                guard case .uniformResourceIdentifier(let uri) = name else { return nil }
                return Role(certificateURI: uri)
            }
            #expect(roles == (holder.role.map { [$0] } ?? []))

            var verifier = Verifier(rootCertificates: CertificateStore([authority])) {
                RFC5280Policy()
            }
            guard case .validCertificate = await verifier.validate(leaf: leaf, intermediates: CertificateStore([]))
            else {
                Issue.record("the chain of \(name) does not verify")
                return
            }
        }
    }

    @Test("of callers that serve nobody can't pose as a service")
    func callers() async throws {
        try await withSuite { folder in
            for name in ["lab", "quick-test", "pocnat", "portal", "prometheus"] {
                let names = try certificate(name, in: folder).extensions.subjectAlternativeNames
                #expect(names?.count == 1, "\(name) should have nothing but its role")
            }
        }
    }

    @Test("keep their keys readable for the owner alone")
    func privateKeys() async throws {
        try await withSuite { folder in
            for name in [SuiteCertificates.authority] + SuiteCertificates.holders.map(\.name) {
                let mode = try FileManager.default.attributesOfItem(atPath: folder.certificateKey(name))
                #expect(mode[.posixPermissions] as? Int == 0o600, "\(name)")
            }
        }
    }

    @Test("are kept while they are good")
    func keeps() async throws {
        try await withSuite { folder in
            let outcomes = try SuiteCertificates(in: folder, now: Self.now + 300 * Self.day).prepare()
            #expect(outcomes.allSatisfy { $0.outcome == .kept })
        }
    }

    @Test("are renewed, but not the authority, 30 days before they expire")
    func renews() async throws {
        try await withSuite { folder in
            let outcomes = try SuiteCertificates(in: folder, now: Self.now + 340 * Self.day).prepare()
            #expect(outcomes.filter { $0.outcome == .kept }.map(\.name) == [SuiteCertificates.authority])
        }
    }

    @Test("are all made anew with their authority")
    func renewsAuthority() async throws {
        try await withSuite { folder in
            let outcomes = try SuiteCertificates(in: folder, now: Self.now + 3630 * Self.day).prepare()
            #expect(outcomes.allSatisfy { $0.outcome == .made })
        }
    }

    @Test("that don't fit their key, after an interruption, are made again")
    func repairs() async throws {
        try await withSuite { folder in
            try folder.write(
                try #require(try folder.read(folder.certificateKey("portal"))), to: folder.certificateKey("lab"))
            let outcomes = try SuiteCertificates(in: folder, now: Self.now).prepare()
            #expect(outcomes.filter { $0.outcome == .made }.map(\.name) == ["lab"])
        }
    }

    @Test("are not silently replaced when the authority's key is missing")
    func missingAuthorityKey() async throws {
        try await withSuite { folder in
            try FileManager.default.removeItem(atPath: folder.certificateKey(SuiteCertificates.authority))
            let certificates = SuiteCertificates(in: folder, now: Self.now)
            let refusal = #expect(throws: CommandFailure.self) { try certificates.prepare() }
            #expect(refusal?.description.contains("--force") == true)
            #expect(try certificates.prepare(force: true).allSatisfy { $0.outcome == .made })
        }
    }

    private func withSuite(_ body: (StateFolder) async throws -> Void) async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            let outcomes = try SuiteCertificates(in: folder, now: Self.now).prepare()
            #expect(
                outcomes.count == SuiteCertificates.holders.count + 1 && outcomes.allSatisfy { $0.outcome == .made })
            try await body(folder)
        }
    }

    private func certificate(_ name: String, in folder: StateFolder) throws -> Certificate {
        try Certificate(pemEncoded: try #require(try folder.read(folder.certificate(name))))
    }
}

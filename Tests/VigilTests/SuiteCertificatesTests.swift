import Crypto
import Foundation
import HTTPContract
import SwiftASN1
import TestSupport
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
            let names =
                try certificate(name, in: folder).extensions.subjectAlternativeNames ?? SubjectAlternativeNames([])
            let roles = names.compactMap { name -> Role? in
                guard case .uniformResourceIdentifier(let uri) = name else { return nil }
                return Role(certificateURI: uri)
            }
            #expect(roles == (holder.role.map { [$0] } ?? []))

            try verify(name, in: folder)
        }
    }

    /// OpenSSL's verification, with all of RFC 5280.
    private func verify(_ name: String, in folder: StateFolder) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "verify", "-x509_strict", "-CAfile", folder.certificate(SuiteCertificates.authority),
            folder.certificate(name),
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.start()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "the chain of \(name) doesn't verify")
    }

    @Test("of callers that serve nobody can't pose as a service")
    func callers() async throws {
        try await withSuite { folder in
            for name in ["lab", "quick-test", "pocnat", "portal", "prometheus", "survey-server", "log-server"] {
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

    @Test("are made anew where a first start ended between the authority's key and its certificate")
    func interruptedAuthority() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try folder.write("half", to: folder.certificateKey(SuiteCertificates.authority))
            let outcomes = try SuiteCertificates(in: folder, now: Self.now).prepare()
            #expect(outcomes.allSatisfy { $0.outcome == .made })
            // Once it has issued certificates, its key isn't replaced.
            try FileManager.default.removeItem(atPath: folder.certificate(SuiteCertificates.authority))
            #expect(throws: CommandFailure.self) { try SuiteCertificates(in: folder, now: Self.now).prepare() }
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

    @Test("a laboratory has one of its own: its role, its name, and nothing by which it could pose as a service")
    func partner() async throws {
        try await withSuite { folder in
            let certificates = SuiteCertificates(in: folder, now: Self.now)
            let holder = try SuiteCertificates.Holder(role: .quickTest, partner: "bonn-2")
            let outcomes = try certificates.prepare(adding: holder)
            #expect(outcomes.filter { $0.outcome == .made }.map(\.name) == ["quick-test-bonn-2"])
            let leaf = try certificate("quick-test-bonn-2", in: folder)
            #expect("\(leaf.subject)" == "CN=bonn-2")
            let names = try leaf.extensions.subjectAlternativeNames.map(Array.init)
            #expect(names == [.uniformResourceIdentifier(Role.quickTest.certificateURI)])

            // From then on it is looked after like the others.
            #expect(try certificates.prepare().contains { $0.name == "quick-test-bonn-2" && $0.outcome == .kept })
            let later = try SuiteCertificates(in: folder, now: Self.now + 340 * Self.day).prepare()
            #expect(later.contains { $0.name == "quick-test-bonn-2" && $0.outcome == .made })
            #expect(try certificate("quick-test-bonn-2", in: folder).serialNumber != leaf.serialNumber)
        }
    }

    @Test(
        "names that could be mistaken, or leave the folder, are refused",
        arguments: ["", "-a", "A", "../a", "ä", "a b"])
    func badPartner(name: String) {
        #expect(throws: CommandFailure.self) { try SuiteCertificates.Holder(role: .lab, partner: name) }
        #expect(throws: CommandFailure.self) {
            try SuiteCertificates.Holder(role: .lab, partner: String(repeating: "a", count: 41))
        }
        #expect(throws: CommandFailure.self) { try SuiteCertificates.Holder(role: .portal, partner: "a") }
    }

    @Test("every certificate that was ever made is listed with the fingerprint by which it can be denied")
    func issued() async throws {
        try await withSuite { folder in
            let holder = try SuiteCertificates.Holder(role: .lab, partner: "bonn")
            _ = try SuiteCertificates(in: folder, now: Self.now).prepare(adding: holder)
            let first = try certificate("lab-bonn", in: folder)
            _ = try SuiteCertificates(in: folder, now: Self.now + 340 * Self.day).prepare()
            let second = try certificate("lab-bonn", in: folder)
            let lines = try #require(try folder.read(folder.issuedCertificates)).split(separator: "\n")
            #expect(lines.count == 2 * SuiteCertificates.holders.count + 2)
            let fingerprints = try [first, second].map { leaf in
                SHA256.hash(data: try leaf.serializeAsPEM().derBytes)
                    .map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
            }
            let own = lines.filter { $0.contains(" # lab-bonn until ") }
            #expect(own.map { String($0.prefix(95)) } == fingerprints)
        }
    }

    @Test("the list of denied certificates is made once, and then it is the operator's")
    func deniedList() async throws {
        try await withSuite { folder in
            let list = try #require(try folder.read(folder.deniedCertificates))
            #expect(list.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
            try folder.write("# mine\n", to: folder.deniedCertificates)
            _ = try SuiteCertificates(in: folder, now: Self.now).prepare(force: true)
            #expect(try folder.read(folder.deniedCertificates) == "# mine")
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

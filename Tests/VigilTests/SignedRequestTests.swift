import Foundation
import HTTPContract
import SwiftASN1
import TestPrograms
import TestSupport
import Testing
import Vigil
import X509

@Suite("Certificates for keys that their holders keep")
struct SignedRequestTests {
    private static let now = Date()
    private static let day: TimeInterval = 86_400

    @Test(
        "have the request's key, and nothing else of it",
        arguments: [
            ["ec", "ec_paramgen_curve:P-256"], ["ec", "ec_paramgen_curve:P-384"], ["rsa", "rsa_keygen_bits:2048"],
        ])
    func content(kind: [String]) async throws {
        try await withSuite { folder in
            let openssl = try OpenSSLProgram()
            let key = try request(kind, openssl)
            let end = try SuiteCertificates(in: folder, now: Self.now).sign(key, for: holder("bonn"))
            let leaf = try certificate("lab-bonn", in: folder)
            #expect(leaf.publicKey == key && "\(leaf.subject)" == "CN=bonn" && leaf.notValidAfter == end)
            #expect(
                try leaf.extensions.subjectAlternativeNames.map(Array.init)
                    == [.uniformResourceIdentifier(Role.lab.certificateURI)])
            #expect(try leaf.extensions.basicConstraints == .notCertificateAuthority)
            #expect(abs(end.timeIntervalSince(Self.now) - 365 * Self.day) < 2)
            #expect(!FileManager.default.fileExists(atPath: folder.certificateKey("lab-bonn")))
            try openssl(
                "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", folder.certificate("ca"),
                folder.certificate("lab-bonn"))
            // The certificate fits the key that never left its holder.
            try openssl("x509", "-in", folder.certificate("lab-bonn"), "-noout", "-pubkey")
            let own = try openssl("pkey", "-in", "key.pem", "-pubout")
            #expect(try openssl("x509", "-in", folder.certificate("lab-bonn"), "-noout", "-pubkey") == own)
            let print = try openssl("x509", "-in", folder.certificate("lab-bonn"), "-noout", "-fingerprint", "-sha256")
            let fingerprint = try #require(print.split(separator: "=").last?.trimmingCharacters(in: .newlines))
            let issued = try #require(try folder.read(folder.issuedCertificates))
            #expect(issued.contains("\(fingerprint) # lab-bonn until "))
        }
    }

    @Test("are kept, and asked for again within 30 days of their end, but never made by the authority itself")
    func renewal() async throws {
        try await withSuite { folder in
            let openssl = try OpenSSLProgram()
            let key = try request(["ec", "ec_paramgen_curve:P-256"], openssl)
            _ = try SuiteCertificates(in: folder, now: Self.now).sign(key, for: holder("bonn"))
            #expect(try outcome(in: folder, after: 300) == .kept)
            #expect(try outcome(in: folder, after: 340) == .due)
            #expect(try outcome(in: folder, after: 400) == .due)
            _ = try SuiteCertificates(in: folder, now: Self.now).prepare(force: true)
            #expect(try outcome(in: folder, after: 0) == .due, "the authority is another one")
            _ = try SuiteCertificates(in: folder, now: Self.now).sign(key, for: holder("bonn"))
            #expect(try outcome(in: folder, after: 0) == .kept)
            #expect(try certificate("lab-bonn", in: folder).publicKey == key)
        }
    }

    @Test("take the place of a pair that was made before, whose key goes")
    func replacement() async throws {
        try await withSuite { folder in
            let certificates = SuiteCertificates(in: folder, now: Self.now)
            _ = try certificates.prepare(adding: holder("bonn"))
            #expect(try #require(try folder.read(folder.callerNotes("lab-bonn"))).contains("its private key."))
            let openssl = try OpenSSLProgram()
            let key = try request(["ec", "ec_paramgen_curve:P-256"], openssl)
            _ = try certificates.sign(key, for: holder("bonn"))
            #expect(!FileManager.default.fileExists(atPath: folder.certificateKey("lab-bonn")))
            #expect(try certificates.prepare().contains { $0.name == "lab-bonn" && $0.outcome == .kept })
            #expect(try #require(try folder.read(folder.callerNotes("lab-bonn"))).contains("isn't here"))
        }
    }

    @Test("need an authority")
    func noAuthority() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            let key = try request(["ec", "ec_paramgen_curve:P-256"], OpenSSLProgram())
            let refusal = #expect(throws: CommandFailure.self) {
                try SuiteCertificates(in: folder, now: Self.now).sign(key, for: holder("bonn"))
            }
            #expect(refusal?.description.contains("vigil certificates") == true)
        }
    }

    @Test("are never for another key, however a request was changed", arguments: ["p256.pem", "p256.der", "rsa.der"])
    func mutations(file: String) throws {
        let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/Corpus/certificate-request")
        let original = try Data(contentsOf: corpus.appending(path: file))
        let key = try CertificateRequest(Array(original)).publicKey
        var (randomness, accepted, refused) = (SeededGenerator(seed: 54), 0, 0)
        for _ in 0..<5000 {
            let changed = original.mutated(using: &randomness)
            if let request = try? CertificateRequest(Array(changed)) {
                accepted += 1
                #expect(request.publicKey == key, "\(changed.base64EncodedString())")
            } else {
                refused += 1
            }
        }
        // Only text around PEM, and changes that cancel each other, leave a request as it was.
        #expect(refused > 4500, "\(accepted)")
    }

    private func holder(_ name: String) throws -> SuiteCertificates.Holder { try .init(role: .lab, partner: name) }

    /// What a laboratory sends, which asks for more than it gets.
    private func request(_ kind: [String], _ openssl: OpenSSLProgram) throws -> Certificate.PublicKey {
        try openssl(
            "req", "-new", "-newkey", kind[0], "-pkeyopt", kind[1], "-nodes", "-keyout", "key.pem", "-out",
            "request.pem",
            "-subj", "/CN=portal", "-addext", "subjectAltName=DNS:verification-server,URI:vigil:role:portal", "-addext",
            "basicConstraints=critical,CA:TRUE")
        return try CertificateRequest(openssl.read("request.pem")).publicKey
    }

    private func outcome(in folder: StateFolder, after days: TimeInterval) throws -> SuiteCertificates.Outcome? {
        try SuiteCertificates(in: folder, now: Self.now + days * Self.day).prepare()
            .first { $0.name == "lab-bonn" }?.outcome
    }

    private func withSuite(_ body: (StateFolder) throws -> Void) async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            _ = try SuiteCertificates(in: folder, now: Self.now).prepare()
            try body(folder)
        }
    }

    private func certificate(_ name: String, in folder: StateFolder) throws -> Certificate {
        try Certificate(pemEncoded: try #require(try folder.read(folder.certificate(name))))
    }
}

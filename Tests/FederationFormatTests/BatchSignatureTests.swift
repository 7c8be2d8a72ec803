import Crypto
import CryptoExtras
import FederationFormat
import Foundation
import TestSupport
import Testing

/// Signatures that `openssl cms` and the Python library `cryptography` made.
@Suite(.heavy) struct BatchSignatureTests {
    @Test(arguments: Vectors.all?.signatures ?? [])
    func `a signature by another program has its verdict`(_ vector: Vectors.Signature) throws {
        let vectors = try Vectors.read()
        let content = try vector.content.map { Array($0) } ?? vectors.batch().records.signedBytes
        let certificate = try FederationCertificate(pem: vector.certificate)
        func verdict(over content: [UInt8]) -> String? {
            do throws(SignatureFlaw) {
                let signature = try BatchSignature(field: vector.cms.base64EncodedString())
                try signature.verify(content, by: certificate)
                return nil
            } catch {
                return error.rawValue
            }
        }
        #expect(verdict(over: content) == vector.flaw)
        if vector.flaw == nil { #expect(verdict(over: content + [0]) == "mismatch") }
    }

    @Test func `the other program made signatures of every kind`() throws {
        let signatures = try Vectors.read().signatures
        #expect(signatures.filter { $0.flaw == nil }.count >= 14)
        let flaws = Set(signatures.compactMap(\.flaw))
        #expect(flaws == Set(SignatureFlaw.allCases.map(\.rawValue)).subtracting(["attributes"]))
        // Indefinite lengths, as BouncyCastle writes them.
        #expect(
            signatures.contains { $0.flaw == nil && $0.cms.base64EncodedString().hasPrefix("MIAGCSqGSIb3DQEHAqCA") })
    }

    @Test func `attributes of another type of content, or two of a kind, are refused`() throws {
        let vectors = try Vectors.read()
        let vector = try #require(vectors.signatures.first)
        let certificate = try FederationCertificate(pem: vector.certificate)
        let content = try vectors.batch().records.signedBytes
        // The attribute contentType with the value id-data.
        let name: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03]
        let value: [UInt8] = [0x31, 0x0B, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
        let place = try #require(vector.cms.range(of: Data(name + value)))
        var bytes = vector.cms
        bytes[place.upperBound - 1] = 2
        let other = try BatchSignature(Array(bytes))
        #expect(throws: SignatureFlaw.attributes) { try other.verify(content, by: certificate) }
        // Its name becomes that of the attribute messageDigest, which is there already.
        bytes = vector.cms
        bytes[place.lowerBound + name.count - 1] = 4
        #expect(throws: SignatureFlaw.attributes) { try BatchSignature(Array(bytes)) }
    }

    @Test func `certificates beside a signature can be read, and don't count`() throws {
        let vectors = try Vectors.read()
        let twin = try #require(vectors.signatures.first { $0.name.contains("twin") })
        let signature = try BatchSignature(Array(twin.cms))
        let (embedded, pinned) = (
            try #require(signature.certificates.first), try FederationCertificate(pem: twin.certificate)
        )
        let content = try vectors.batch().records.signedBytes
        #expect(embedded != pinned)
        #expect(throws: Never.self) { try signature.verify(content, by: embedded) }
        #expect(throws: SignatureFlaw.otherSigner) { try signature.verify(content, by: pinned) }
    }

    @Test func `what is too long, or not Base64, isn't read`() throws {
        let cms = try #require(Vectors.read().signatures.first).cms
        for text in ["", "****", cms.base64EncodedString() + "\n", String(cms.base64EncodedString().dropLast())] {
            #expect(throws: SignatureFlaw.unreadable) { try BatchSignature(field: text) }
        }
        #expect(throws: SignatureFlaw.unreadable) { try BatchSignature(Array(cms) + [0]) }
        #expect(throws: SignatureFlaw.unreadable) { try BatchSignature([UInt8](repeating: 0x30, count: 6001)) }
        // Deep nesting.
        #expect(throws: SignatureFlaw.unreadable) {
            try BatchSignature([[UInt8]](repeating: [0x30, 0x80], count: 3000).flatMap { $0 })
        }
    }

    @Test(arguments: 0..<500)
    func `a changed signature never covers other bytes`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let vectors = try Vectors.read()
        let good = vectors.signatures.filter { $0.flaw == nil && $0.content == nil }
        let vector = good[Int(seed) % good.count]
        let certificate = try FederationCertificate(pem: vector.certificate)
        let other = Array(try vectors.batch().records.signedBytes.dropLast())
        guard let signature = try? BatchSignature(Array(vector.cms.mutated(using: &random))) else { return }
        #expect(throws: SignatureFlaw.self) { try signature.verify(other, by: certificate) }
    }

    @Test func `a certificate has a thumbprint, one country and a time`() throws {
        let vectors = try Vectors.read()
        let entry = try #require(vectors.audit.first)
        let pem = try #require(entry.signingCertificate)
        let certificate = try FederationCertificate(pem: pem)
        #expect(certificate.thumbprint == entry.uploaderSigningThumbprint)
        #expect(certificate.country?.text == "DE")
        #expect(certificate.pem == pem)
        #expect(certificate.validity.lowerBound == Date(timeIntervalSince1970: 1_767_225_600))
        #expect(try FederationCertificate(der: certificate.der) == certificate)
        for text in ["", pem + pem, pem.replacing("CERTIFICATE", with: "PUBLIC KEY"), String(pem.dropFirst(100))] {
            #expect(throws: CertificateFlaw.unreadable) { try FederationCertificate(pem: text) }
        }
        #expect(throws: CertificateFlaw.unreadable) { try FederationCertificate(der: certificate.der + [0]) }
    }
}

/// Signatures of this module, verified by `openssl cms`.
@Suite(.heavy, .enabled(if: OpenSSL.exists)) struct SigningTests {
    /// A key and its certificate, made by OpenSSL.
    private static let kinds: [(name: String, options: [String])] = [
        ("P-256", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]),
        ("P-384", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"]),
        ("RSA", ["-newkey", "rsa:3072"]),
    ]

    private static func withKey(
        _ options: [String], _ body: (OpenSSL, BatchSigningKey) async throws -> Void
    ) async throws {
        try await withScratchFolder { folder in
            let openssl = OpenSSL(folder: folder)
            let made = try openssl.run(
                ["req", "-x509", "-nodes", "-sha256", "-days", "30", "-subj", "/C=DE/CN=signing"] + options
                    + ["-keyout", "key.pem", "-out", "certificate.pem"])
            try #require(made.status == 0, "\(made.text)")
            let certificate = try FederationCertificate(pem: openssl.text("certificate.pem"))
            try await body(openssl, try BatchSigningKey(pem: openssl.text("key.pem"), certificate: certificate))
        }
    }

    @Test(arguments: kinds.map(\.name))
    func `openssl verifies what this module signs`(_ name: String) async throws {
        let kind = try #require(Self.kinds.first { $0.name == name })
        let batch = try #require(KeyBatch(try Sample.keys(140, seed: 1)))
        try await Self.withKey(kind.options) { openssl, key in
            let signature = try await BatchSignature.make(over: batch.records.signedBytes, by: key)
            try openssl.write(signature.bytes, "signature")
            try openssl.write(batch.records.signedBytes, "content")
            try openssl.write(batch.records.signedBytes + [0], "changed")
            func verify(_ content: String) throws -> Int32 {
                try openssl.run([
                    "cms", "-verify", "-binary", "-inform", "DER", "-in", "signature", "-content", content, "-noverify",
                    "-nointern", "-certfile", "certificate.pem", "-out", "/dev/null",
                ]).status
            }
            #expect(try verify("content") == 0)
            #expect(try verify("changed") != 0)
            #expect(try BatchSignature(field: signature.field) == signature)
        }
    }

    @Test func `with RSA, a signature has the bytes that openssl writes, each time`() async throws {
        let content = try #require(KeyBatch(try Sample.keys(20, seed: 2))).records.signedBytes
        try await Self.withKey(["-newkey", "rsa:3072"]) { openssl, key in
            let signature = try await BatchSignature.make(over: content, by: key)
            #expect(try await BatchSignature.make(over: content, by: key) == signature)
            try openssl.write(content, "content")
            let signed = try openssl.run([
                "cms", "-sign", "-binary", "-noattr", "-nosmimecap", "-md", "sha256", "-signer", "certificate.pem",
                "-inkey",
                "key.pem", "-in", "content", "-outform", "DER", "-out", "signature",
            ])
            try #require(signed.status == 0, "\(signed.text)")
            #expect(try openssl.bytes("signature") == signature.bytes)
        }
    }

    @Test func `a key that doesn't belong to the certificate signs nothing`() async throws {
        try await Self.withKey(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]) { _, key in
            let other = try BatchSigningKey(
                pem: P256.Signing.PrivateKey().pemRepresentation, certificate: key.certificate)
            await #expect(throws: SignatureFlaw.mismatch) { try await BatchSignature.make(over: [1], by: other) }
        }
    }

    @Test func `a weak key signs nothing`() async throws {
        try await Self.withKey(["-newkey", "rsa:2048"]) { _, key in
            await #expect(throws: SignatureFlaw.key) { try await BatchSignature.make(over: [1], by: key) }
        }
    }

    @Test func `a text that is no key isn't one, and a key shows nothing`() async throws {
        try await Self.withKey(["-newkey", "rsa:3072"]) { openssl, key in
            #expect(throws: UnusableSigningKey.self) {
                try BatchSigningKey(pem: openssl.text("certificate.pem"), certificate: key.certificate)
            }
            var shown = ""
            dump(key, to: &shown)
            #expect(shown.contains(key.certificate.thumbprint))
            #expect(!shown.contains("PRIVATE"))
            #expect(!shown.lowercased().contains("rsa"))
        }
    }
}

/// `openssl`, in a folder.
struct OpenSSL: Sendable {
    let folder: String

    static var exists: Bool { program != nil }

    private static let program = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "openssl") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    /// Runs it, and returns its output and errors together.
    func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        let program: URL = try #require(Self.program)
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.start()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: folder).appending(path: name)))
    }

    func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(filePath: folder).appending(path: name))
    }
}

import Crypto
import CryptoExtras
import FederationFormat
import Foundation
import TestPrograms
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
        // Content within shows it at once.
        let isAttached = vector.name.contains("attached")
        if vector.flaw == nil { #expect(verdict(over: content + [0]) == (isAttached ? "attached" : "mismatch")) }
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

    @Test func `a key of RSA with 2048 bits is accepted by a setting, and none with less`() throws {
        let vectors = try Vectors.read()
        let vector = try #require(vectors.signatures.first { $0.name == "RSA 2048" })
        let (signature, certificate) = (
            try BatchSignature(Array(vector.cms)), try FederationCertificate(pem: vector.certificate)
        )
        let content = try vectors.batch().records.signedBytes
        for bits in [0, 2048] {
            #expect(throws: Never.self) { try signature.verify(content, by: certificate, smallestRSA: bits) }
        }
        #expect(throws: SignatureFlaw.key) { try signature.verify(content, by: certificate, smallestRSA: 2049) }
        #expect(throws: SignatureFlaw.key) { try signature.verify(content, by: certificate) }
        let (openssl, short) = (try OpenSSLProgram(), [UInt8](1...50))
        try openssl.makeKey("rsa:1024")
        try openssl.write(short, "content")
        let weak = try BatchSignature(openssl.sign("", to: "signature"))
        let holder = try FederationCertificate(pem: openssl.text("certificate.pem"))
        #expect(throws: SignatureFlaw.key) { try weak.verify(short, by: holder, smallestRSA: 0) }
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
@Suite(.heavy) struct SigningTests {
    private static func key(_ kind: String) throws -> (openssl: OpenSSLProgram, key: BatchSigningKey) {
        let openssl = try OpenSSLProgram()
        try openssl.makeKey(kind)
        return (openssl, try openssl.signingKey())
    }

    @Test(arguments: SigningKind.allCases)
    func `openssl verifies what this module signs`(_ kind: SigningKind) async throws {
        let batch = try #require(KeyBatch(try Sample.keys(140, seed: 1)))
        let (openssl, key) = try Self.key(kind.rawValue)
        let signature = try await BatchSignature.make(over: batch.records.signedBytes, by: key)
        try openssl.write(signature.bytes, "signature")
        try openssl.write(batch.records.signedBytes, "content")
        try openssl.write(batch.records.signedBytes + [0], "changed")
        #expect(try openssl.verifies())
        #expect(try !openssl.verifies("changed"))
        #expect(try BatchSignature(field: signature.field) == signature)
    }

    @Test func `with RSA, a signature has the bytes that openssl writes, each time`() async throws {
        let content = try #require(KeyBatch(try Sample.keys(20, seed: 2))).records.signedBytes
        let (openssl, key) = try Self.key(SigningKind.rsa.rawValue)
        let signature = try await BatchSignature.make(over: content, by: key)
        #expect(try await BatchSignature.make(over: content, by: key) == signature)
        try openssl.write(content, "content")
        #expect(try openssl.sign("-noattr -nosmimecap", to: "made") == signature.bytes)
    }

    @Test func `a key that doesn't belong to the certificate signs nothing`() async throws {
        let (_, key) = try Self.key(SigningKind.p256.rawValue)
        let other = try BatchSigningKey(
            pem: P256.Signing.PrivateKey().pemRepresentation, certificate: key.certificate)
        await #expect(throws: SignatureFlaw.mismatch) { try await BatchSignature.make(over: [1], by: other) }
    }

    @Test func `a weak key signs nothing`() async throws {
        let (_, key) = try Self.key("rsa:2048")
        await #expect(throws: SignatureFlaw.key) { try await BatchSignature.make(over: [1], by: key) }
    }

    @Test func `a text that is no key isn't one, and a key shows nothing`() async throws {
        let (openssl, key) = try Self.key(SigningKind.rsa.rawValue)
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

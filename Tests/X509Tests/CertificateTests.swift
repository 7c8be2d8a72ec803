import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@Suite("Certificates that are issued and read again") struct CertificateTests {
    @Test("every field comes back, and the issuer's key accepts the signature")
    func roundTrip() throws {
        let root = try Holder("root")
        let leaf = try Holder(
            "leaf", by: root,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                SubjectAlternativeNames([.dnsName("localhost")])
            })
        let read = try Certificate(pemEncoded: leaf.pem)
        #expect(read == leaf.certificate && read.hashValue == leaf.certificate.hashValue)
        #expect(read.version == .v3)
        #expect("\(read.subject)" == "CN=leaf" && "\(read.issuer)" == "CN=root")
        #expect(read.serialNumber == leaf.certificate.serialNumber)
        #expect(read.serialNumber != root.certificate.serialNumber)
        #expect(read.notValidBefore == Holder.validity.lowerBound && read.notValidAfter == Holder.validity.upperBound)
        #expect(read.signatureAlgorithm == .ecdsaWithSHA256)
        #expect(read.publicKey == leaf.key.publicKey && read.publicKey != root.key.publicKey)
        #expect(read.extensions.map(\.critical) == [true, true, false])
        #expect(root.key.publicKey.isValidSignature(read.signature, for: read))
        #expect(!leaf.key.publicKey.isValidSignature(read.signature, for: read))
        #expect(!root.key.publicKey.isValidSignature(root.certificate.signature, for: read))
        #expect(try read.serializeAsPEM().derBytes == leaf.der)
        #expect(try DER.parse(read.tbsCertificateBytes).identifier == .sequence)
    }

    @Test(
        "keys on both curves sign with each hash function",
        arguments: [Certificate.SignatureAlgorithm.ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512])
    func curves(_ algorithm: Certificate.SignatureAlgorithm) throws {
        for key in [
            Certificate.PrivateKey(P256.Signing.PrivateKey()), Certificate.PrivateKey(P384.Signing.PrivateKey()),
        ] {
            let holder = try Holder("curve", key: key, algorithm: algorithm)
            #expect(holder.certificate.signatureAlgorithm == algorithm)
            #expect(key.publicKey.isValidSignature(holder.certificate.signature, for: holder.certificate))
            #expect(try Certificate.PrivateKey(pemEncoded: key.serializeAsPEM().pemString).publicKey == key.publicKey)
        }
    }

    @Test("a key signs with no algorithm of another kind")
    func otherKind() {
        #expect(throws: CertificateError.unsupportedAlgorithm) {
            try Holder("curve", algorithm: .sha256WithRSAEncryption)
        }
    }

    @Test("a public key is the typed one it was made of, and no other")
    func typedKeys() throws {
        let (p256, p384) = (P256.Signing.PrivateKey().publicKey, P384.Signing.PrivateKey().publicKey)
        let one = Certificate.PublicKey(p256)
        #expect(P256.Signing.PublicKey(one)?.x963Representation == p256.x963Representation)
        #expect(P384.Signing.PublicKey(one) == nil)
        let other = Certificate.PublicKey(p384)
        #expect(P384.Signing.PublicKey(other)?.x963Representation == p384.x963Representation)
        #expect(P256.Signing.PublicKey(other) == nil)
        #expect(try Certificate.PublicKey(pemEncoded: p256.pemRepresentation) == one)
        #expect(throws: CertificateError.otherDocument) { try Certificate.PublicKey(pemEncoded: Holder("a").pem) }
    }

    @Test(
        "times have whole seconds, UTCTime from 1950 to 2049 and GeneralizedTime otherwise",
        arguments: [
            (-62_167_219_200.0, "00000101000000Z"), (-2_208_988_800, "19000101000000Z"),
            (-631_152_001, "19491231235959Z"),
            (-631_152_000, "500101000000Z"), (-1, "691231235959Z"), (0, "700101000000Z"),
            (951_782_399.999, "000228235959Z"), (951_782_400, "000229000000Z"), (951_868_800, "000301000000Z"),
            (1_709_164_799, "240228235959Z"), (1_709_251_199, "240229235959Z"), (2_524_607_999, "491231235959Z"),
            (2_524_608_000, "20500101000000Z"), (4_107_542_400, "21000301000000Z"), (4_107_542_399, "21000228235959Z"),
            (253_402_300_799, "99991231235959Z"), (1_795_521_600, "261124120000Z"),
        ] as [(Double, String)])
    func times(_ seconds: Double, _ text: String) throws {
        let time = Date(timeIntervalSince1970: seconds)
        let holder = try Holder("time", validity: time..<time)
        #expect(holder.certificate.notValidBefore == Date(timeIntervalSince1970: seconds.rounded(.down)))
        #expect(holder.certificate.notValidBefore == holder.certificate.notValidAfter)
        let tag: UInt8 = text.utf8.count == 13 ? 0x17 : 0x18
        #expect(try holder.der.firstRange(of: [tag, UInt8(text.utf8.count)] + Array(text.utf8)) != nil)
    }

    @Test(
        "times outside the years 0 to 9999 have no encoding",
        arguments: [-62_167_219_201.0, 253_402_300_800, .infinity])
    func noTime(_ seconds: Double) {
        let time = Date(timeIntervalSince1970: seconds)
        #expect(throws: CertificateError.time) { try Holder("time", validity: time..<time) }
    }

    @Test("days of eight hundred years are written as they are read")
    func calendar() throws {
        // Foundation's calendar is the second opinion.
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        for days in stride(from: -140_000, to: 150_000, by: 1009) {
            let time = Date(timeIntervalSince1970: Double(days) * 86_400 + 3723)
            let holder = try Holder("time", key: key, validity: time..<time)
            #expect(holder.certificate.notValidBefore == time)
            let parts = calendar.dateComponents([.year, .month, .day], from: time)
            let digits = [parts.month ?? 0, parts.day ?? 0].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
            #expect(try holder.der.firstRange(of: Array("\(digits)010203Z".utf8)) != nil)
        }
    }

    @Test("serial numbers are positive, of twenty bytes and never the same")
    func serialNumbers() {
        #expect(Set((0..<100).map { _ in Certificate.SerialNumber() }).count == 100)
    }

    @Test("an extension can't stand twice")
    func twice() throws {
        let usage = try KeyUsage(digitalSignature: true).makeCertificateExtension()
        #expect(throws: CertificateError.repeatedExtension) { try Certificate.Extensions([usage, usage]) }
        var extensions = try Certificate.Extensions([usage])
        #expect(throws: CertificateError.repeatedExtension) { try extensions.append(usage) }
        #expect(extensions.count == 1)
        #expect(throws: CertificateError.repeatedExtension) {
            try Certificate.Extensions {
                KeyUsage(digitalSignature: true)
                Critical(KeyUsage(keyCertSign: true))
            }
        }
    }

    @Test("PEM of something else is no certificate, and several are not one")
    func wrongPEM() throws {
        let (one, two) = (try Holder("one").pem, try Holder("two").pem)
        #expect(throws: CertificateError.otherDocument) {
            try Certificate(pemEncoded: P256.Signing.PrivateKey().pemRepresentation)
        }
        #expect(throws: ASN1Error(.multipleDocuments, "")) { try Certificate(pemEncoded: one + two) }
        #expect(throws: ASN1Error(.invalidPEM, "")) { try Certificate(pemEncoded: "") }
        let other = PEMDocument(type: "TRUSTED CERTIFICATE", derBytes: try Holder("one").der)
        #expect(throws: CertificateError.otherDocument) { try Certificate(pemDocument: other) }
    }
}

import Crypto
import SwiftASN1
import Testing
import X509

@Suite("Certificates of which a byte was changed") struct MutationTests {
    private static let sample = Result {
        let root = try Holder("root")
        return (
            root,
            try Holder(
                "leaf", by: root,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.serverAuth, .clientAuth])
                    SubjectAlternativeNames([
                        .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                        .uniformResourceIdentifier("vigil:role:lab"),
                    ])
                    SubjectKeyIdentifier(hash: root.key.publicKey)
                    AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: root.key.publicKey).keyIdentifier)
                })
        )
    }

    /// Looks at everything that a certificate says.
    private func read(_ certificate: Certificate) {
        _ = "\(certificate.subject) \(certificate.issuer)"
        _ = try? certificate.extensions.basicConstraints
        _ = try? certificate.extensions.keyUsage
        _ = try? certificate.extensions.extendedKeyUsage
        _ = try? certificate.extensions.subjectAlternativeNames
        _ = try? certificate.extensions.subjectKeyIdentifier
    }

    @Test("each is refused, or is another certificate that nobody signed", arguments: 0..<8)
    func bytes(_ part: Int) throws {
        let (root, leaf) = try Self.sample.get()
        let der = try leaf.der
        var count = 0
        for index in stride(from: part, to: der.count, by: 8) {
            for change in [0x01, 0x20, 0x80, 0xFF] as [UInt8] {
                var bytes = der
                bytes[index] ^= change
                guard let certificate = try? Certificate(derEncoded: bytes) else { continue }
                count += 1
                read(certificate)
                #expect(certificate != leaf.certificate)
                #expect(try certificate.serializeAsPEM().derBytes == bytes)
                #expect(!root.key.publicKey.isValidSignature(certificate.signature, for: certificate))
            }
        }
        #expect(count > 0)
    }

    @Test("each that was cut off or has a byte more or less is refused")
    func lengths() throws {
        let der = try Self.sample.get().1.der
        for index in der.indices {
            #expect(throws: (any Error).self) { try Certificate(derEncoded: der[..<index]) }
            var (longer, shorter) = (der, der)
            longer.insert(0, at: index)
            shorter.remove(at: index)
            for bytes in [longer, shorter] { #expect(throws: (any Error).self) { try Certificate(derEncoded: bytes) } }
        }
    }
}

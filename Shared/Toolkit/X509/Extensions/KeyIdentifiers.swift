import Crypto
import SwiftASN1

/// By what a certificate's own key can be found (RFC 5280, section 4.2.1.2).
package struct SubjectKeyIdentifier: Hashable, Sendable {
    /// The name, of any length.
    package let keyIdentifier: ArraySlice<UInt8>

    /// SHA-1 of the key's bits, the first way of RFC 5280. It is a name and protects nothing.
    package init(hash key: Certificate.PublicKey) {
        keyIdentifier = Array(Insecure.SHA1.hash(data: Array(key.info.key)))[...]
    }

    /// Reads the extension.
    package init(_ one: Certificate.Extension) throws {
        keyIdentifier = try ASN1OctetString(derEncoded: one.value).bytes
    }
}

extension SubjectKeyIdentifier: CertificateExtensionConvertible {
    package func makeCertificateExtension() throws -> Certificate.Extension {
        Certificate.Extension(
            oid: .X509ExtensionID.subjectKeyIdentifier, critical: false,
            value: ASN1OctetString(contentBytes: keyIdentifier).derBytes[...])
    }
}

/// By what the issuer's key can be found (RFC 5280, section 4.2.1.1).
package struct AuthorityKeyIdentifier: Hashable, Sendable {
    private let keyIdentifier: ArraySlice<UInt8>

    /// - Parameter keyIdentifier: the issuer's ``SubjectKeyIdentifier/keyIdentifier``.
    package init(keyIdentifier: ArraySlice<UInt8>) { self.keyIdentifier = keyIdentifier }
}

extension AuthorityKeyIdentifier: CertificateExtensionConvertible {
    package func makeCertificateExtension() throws -> Certificate.Extension {
        var coder = DER.Serializer()
        coder.appendConstructedNode(identifier: .sequence) { coder in
            ASN1OctetString(contentBytes: keyIdentifier).serialize(into: &coder, withIdentifier: .context(0))
        }
        return Certificate.Extension(
            oid: .X509ExtensionID.authorityKeyIdentifier, critical: false, value: coder.serializedBytes[...])
    }
}

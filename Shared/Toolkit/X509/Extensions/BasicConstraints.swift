import SwiftASN1

/// Whether a certificate is an authority's (RFC 5280, section 4.2.1.9).
package enum BasicConstraints: Hashable, Sendable {
    /// - Parameter maxPathLength: of authorities that may follow below this one; nil for any number.
    case isCertificateAuthority(maxPathLength: Int?)
    case notCertificateAuthority

    /// Reads the extension.
    package init(_ one: Certificate.Extension) throws {
        self = try DER.sequence(DER.parse(one.value), identifier: .sequence) { nodes in
            let isAuthority = try DER.decodeDefault(&nodes, false)
            let length: Int? = try DER.optional(&nodes)
            // Only an authority has a length, which isn't negative.
            guard isAuthority || length == nil, length ?? 0 >= 0 else { throw CertificateError.extensionValue }
            return isAuthority ? .isCertificateAuthority(maxPathLength: length) : .notCertificateAuthority
        }
    }
}

extension BasicConstraints: CertificateExtensionConvertible {
    package func makeCertificateExtension() throws -> Certificate.Extension {
        if case .isCertificateAuthority(let length?) = self, length < 0 { throw CertificateError.extensionValue }
        var coder = DER.Serializer()
        coder.appendConstructedNode(identifier: .sequence) { coder in
            guard case .isCertificateAuthority(let length) = self else { return }
            true.serialize(into: &coder)
            length?.serialize(into: &coder)
        }
        return Certificate.Extension(
            oid: .X509ExtensionID.basicConstraints, critical: false, value: coder.serializedBytes[...])
    }
}

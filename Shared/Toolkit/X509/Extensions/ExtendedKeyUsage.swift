import SwiftASN1

/// For what purposes a certificate may be shown (RFC 5280, section 4.2.1.12).
package struct ExtendedKeyUsage: Hashable, Sendable {
    private let usages: [Usage]

    /// A purpose.
    package struct Usage: Hashable, Sendable {
        fileprivate let oid: ASN1ObjectIdentifier

        /// A server's, for TLS.
        package static let serverAuth = Usage(oid: [1, 3, 6, 1, 5, 5, 7, 3, 1])
        /// A client's, for TLS.
        package static let clientAuth = Usage(oid: [1, 3, 6, 1, 5, 5, 7, 3, 2])
    }

    /// - Throws: ``CertificateError/extensionValue`` if there is none, or one twice.
    package init(_ usages: [Usage]) throws {
        guard !usages.isEmpty, Set(usages).count == usages.count else { throw CertificateError.extensionValue }
        self.usages = usages
    }

    /// Reads the extension.
    package init(_ one: Certificate.Extension) throws {
        let names = try DER.sequence(
            of: ASN1ObjectIdentifier.self, identifier: .sequence, rootNode: DER.parse(one.value))
        try self.init(names.map { Usage(oid: $0) })
    }

    /// Whether a purpose is among them.
    package func contains(_ usage: Usage) -> Bool { usages.contains(usage) }
}

extension ExtendedKeyUsage: CertificateExtensionConvertible {
    package func makeCertificateExtension() throws -> Certificate.Extension {
        var coder = DER.Serializer()
        coder.appendConstructedNode(identifier: .sequence) { coder in
            for usage in usages { usage.oid.serialize(into: &coder) }
        }
        return Certificate.Extension(
            oid: .X509ExtensionID.extendedKeyUsage, critical: false, value: coder.serializedBytes[...])
    }
}

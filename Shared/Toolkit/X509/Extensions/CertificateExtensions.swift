package import SwiftASN1

extension Certificate {
    /// An extension: its name and its value, which the types of this module read.
    package struct Extension: Hashable, Sendable {
        /// The name.
        package let oid: ASN1ObjectIdentifier
        /// Whether who doesn't understand it must refuse the certificate.
        package let critical: Bool
        /// DER, which isn't looked at before somebody asks for it.
        package let value: ArraySlice<UInt8>

        /// An extension of any kind.
        package init(oid: ASN1ObjectIdentifier, critical: Bool, value: ArraySlice<UInt8>) {
            self.oid = oid
            self.critical = critical
            self.value = value
        }
    }

    /// The extensions of a certificate, of which none stands twice (RFC 5280, section 4.2).
    package struct Extensions: Hashable, Sendable {
        private var all: [Extension] = []

        /// No extensions.
        package init() {}

        /// - Throws: ``CertificateError/repeatedExtension``.
        package init(_ extensions: some Sequence<Extension>) throws {
            for one in extensions { try append(one) }
        }

        /// - Throws: what an extension's own `makeCertificateExtension` throws, or
        ///   ``CertificateError/repeatedExtension``.
        package init(@ExtensionsBuilder _ build: () throws -> Result<[Extension], any Error>) throws {
            try self.init(build().get())
        }

        /// Adds one at the end.
        /// - Throws: ``CertificateError/repeatedExtension``.
        package mutating func append(_ one: Extension) throws {
            guard self[oid: one.oid] == nil else { throw CertificateError.repeatedExtension }
            all.append(one)
        }

        /// The extension with this name.
        package subscript(oid oid: ASN1ObjectIdentifier) -> Extension? { all.first { $0.oid == oid } }
    }
}

extension Certificate.Extensions: RandomAccessCollection {
    package var startIndex: Int { all.startIndex }
    package var endIndex: Int { all.endIndex }
    package subscript(position: Int) -> Certificate.Extension { all[position] }
}

/// Each throws ``SwiftASN1/ASN1Error`` or ``CertificateError`` if the extension is there and isn't what RFC 5280 says.
extension Certificate.Extensions {
    /// Whether the certificate is an authority's.
    package var basicConstraints: BasicConstraints? {
        get throws { try self[oid: .X509ExtensionID.basicConstraints].map { try BasicConstraints($0) } }
    }

    /// What the key may do.
    package var keyUsage: KeyUsage? {
        get throws { try self[oid: .X509ExtensionID.keyUsage].map { try KeyUsage($0) } }
    }

    /// For what the certificate may be shown.
    package var extendedKeyUsage: ExtendedKeyUsage? {
        get throws { try self[oid: .X509ExtensionID.extendedKeyUsage].map { try ExtendedKeyUsage($0) } }
    }

    /// The subject's other names.
    package var subjectAlternativeNames: SubjectAlternativeNames? {
        get throws { try self[oid: .X509ExtensionID.subjectAlternativeName].map { try SubjectAlternativeNames($0) } }
    }

    /// A name of the key.
    package var subjectKeyIdentifier: SubjectKeyIdentifier? {
        get throws { try self[oid: .X509ExtensionID.subjectKeyIdentifier].map { try SubjectKeyIdentifier($0) } }
    }
}

extension Certificate.Extension: DERParseable, DERSerializable {
    package init(derEncoded node: ASN1Node) throws {
        self = try DER.sequence(node, identifier: .sequence) { nodes in
            Self(
                oid: try ASN1ObjectIdentifier(derEncoded: &nodes), critical: try DER.decodeDefault(&nodes, false),
                value: try ASN1OctetString(derEncoded: &nodes).bytes)
        }
    }

    package func serialize(into coder: inout DER.Serializer) {
        coder.appendConstructedNode(identifier: .sequence) { coder in
            oid.serialize(into: &coder)
            if critical { true.serialize(into: &coder) }
            ASN1OctetString(contentBytes: value).serialize(into: &coder)
        }
    }
}

extension ASN1ObjectIdentifier {
    /// Names of extensions (RFC 5280, appendix A.2).
    package enum X509ExtensionID {
        /// Section 4.2.1.2.
        package static let subjectKeyIdentifier: ASN1ObjectIdentifier = [2, 5, 29, 14]
        /// Section 4.2.1.3.
        package static let keyUsage: ASN1ObjectIdentifier = [2, 5, 29, 15]
        /// Section 4.2.1.6.
        package static let subjectAlternativeName: ASN1ObjectIdentifier = [2, 5, 29, 17]
        /// Section 4.2.1.9.
        package static let basicConstraints: ASN1ObjectIdentifier = [2, 5, 29, 19]
        /// Section 4.2.1.10.
        package static let nameConstraints: ASN1ObjectIdentifier = [2, 5, 29, 30]
        /// Section 4.2.1.1.
        package static let authorityKeyIdentifier: ASN1ObjectIdentifier = [2, 5, 29, 35]
        /// Section 4.2.1.12.
        package static let extendedKeyUsage: ASN1ObjectIdentifier = [2, 5, 29, 37]
    }
}

import SwiftASN1

/// The names that an authority may certify (RFC 5280, section 4.2.1.10). It is only written here: nothing obeys it, so a
/// certificate with it is one that isn't understood.
package struct NameConstraints: Hashable, Sendable {
    private let permittedDNSDomains: [String]

    /// - Parameter permittedDNSDomains: domains, which stand for themselves and all below them.
    package init(permittedDNSDomains: [String]) { self.permittedDNSDomains = permittedDNSDomains }
}

extension NameConstraints: CertificateExtensionConvertible {
    package func makeCertificateExtension() throws -> Certificate.Extension {
        guard permittedDNSDomains.allSatisfy({ GeneralName.dnsName($0).isWellFormed }) else {
            throw CertificateError.extensionValue
        }
        var coder = DER.Serializer()
        coder.appendConstructedNode(identifier: .sequence) { coder in
            coder.appendConstructedNode(identifier: .context(0)) { coder in
                for domain in permittedDNSDomains {
                    coder.appendConstructedNode(identifier: .sequence) {
                        GeneralName.dnsName(domain).serialize(into: &$0)
                    }
                }
            }
        }
        return Certificate.Extension(
            oid: .X509ExtensionID.nameConstraints, critical: false, value: coder.serializedBytes[...])
    }
}

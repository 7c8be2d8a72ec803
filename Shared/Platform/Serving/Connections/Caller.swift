package import HTTPContract
import NIOSSL
import SwiftASN1
import TLS
import X509

/// Who sent a request, as the certificate of its connection says.
package struct Caller: Sendable, Equatable {
    /// nil on listeners without client certificates, and when a certificate names no role.
    package let role: Role?
    /// The certificate's common name, for labs and the officers' portal; empty without certificate.
    package let name: String

    /// A caller as its parts; both come from a verified certificate, or from a test.
    package init(role: Role?, name: String) {
        self.role = role
        self.name = name
    }

    /// A caller that was not asked for a certificate.
    package static let anonymous = Caller(role: nil, name: "")

    /// Reads role and name out of a certificate that the TLS handshake has verified.
    ///
    /// A certificate with two roles has none: no rule says which of them would count.
    init(certificate: NIOSSLCertificate) {
        guard let parsed = try? Certificate(derEncoded: certificate.toDERBytes()) else {
            self = .anonymous
            return
        }
        let uris = (try? parsed.extensions.subjectAlternativeNames) ?? SubjectAlternativeNames()
        let roles = uris.compactMap { name -> Role? in
            guard case .uniformResourceIdentifier(let uri) = name else { return nil }
            return Role(certificateURI: uri)
        }
        let commonName = parsed.subject.lazy.flatMap { $0 }
            .first { $0.type == .RDNAttributeType.commonName }
            .flatMap { String($0.value) }
        self.init(role: roles.count == 1 ? roles.first : nil, name: commonName ?? "")
    }
}

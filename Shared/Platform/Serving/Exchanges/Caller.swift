package import HTTPContract
import SwiftASN1
import TLS
import X509

/// The sender of a request, according to the certificate of its connection.
package struct Caller: Sendable, Equatable {
    /// The role; nil on listeners without client certificates, and if a certificate names no role.
    package let role: Role?
    /// The certificate's common name, for laboratories and the officers' portal; empty without a certificate.
    package let name: String
    /// The SHA-256 of the certificate, for a listener that knows its callers by their certificates; nil without one.
    package let fingerprint: [UInt8]?

    /// Creates a caller from its parts, which come from a verified certificate or from a test.
    package init(role: Role?, name: String, fingerprint: [UInt8]? = nil) {
        self.role = role
        self.name = name
        self.fingerprint = fingerprint
    }

    /// A caller without a certificate, on a listener that requires none.
    package static let anonymous = Caller(role: nil, name: "")

    /// Reads role and name from a certificate that the TLS handshake has verified.
    ///
    /// A certificate with two roles counts as one without a role, because no rule says which one applies.
    init(certificate: PeerCertificate) {
        guard let parsed = try? Certificate(derEncoded: certificate.derBytes) else {
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
        self.init(
            role: roles.count == 1 ? roles.first : nil, name: commonName ?? "", fingerprint: certificate.fingerprint)
    }
}

package import FederationFormat
import HTTPTypes

/// The certificates that the gateway knows, with their operator's signatures (efgs-federation-gateway, `CertificateService`).
package struct CertificateTable: Sendable {
    /// What a certificate may be used for.
    package enum Kind: String, Sendable, CaseIterable {
        case authentication
        case signing
        case callback
    }

    /// A certificate. The columns are as the operator entered them: whether they fit the certificate is checked at each use.
    package struct Row: Sendable {
        /// SHA-256 of the DER, in lower-case hexadecimal digits.
        package var thumbprint: String
        /// Whose it is.
        package var country: CountryCode
        /// What it may be used for.
        package var kind: Kind
        /// Whether its country has given it up.
        package var isRevoked: Bool
        /// The text that the operator signed.
        package var pem: String
        /// The operator's signature, in Base64.
        package var signature: String

        /// A row for a certificate that the operator has checked.
        package init(
            _ certificate: FederationCertificate, of country: CountryCode, _ kind: Kind, by anchor: FederationAnchor
        ) throws {
            thumbprint = certificate.thumbprint
            self.country = country
            self.kind = kind
            isRevoked = false
            pem = certificate.pem
            signature = try anchor.sign(certificate.pem)
        }
    }

    /// All rows.
    package var rows: [Row]
    let anchor: TrustAnchor

    /// Both rows of each country.
    init(_ members: [FederationMember], signedBy anchor: FederationAnchor) throws {
        self.anchor = anchor.anchor
        rows = try members.flatMap { member in
            [
                try Row(member.authentication, of: member.code, .authentication, by: anchor),
                try Row(member.signing, of: member.code, .signing, by: anchor),
            ]
        }
    }

    /// A row whose certificate has this thumbprint and which the operator has signed; it may be revoked.
    func row(_ thumbprint: String, of country: CountryCode, _ kind: Kind) -> Row? {
        guard
            let row = rows.first(where: { $0.thumbprint == thumbprint && $0.country == country && $0.kind == kind }),
            let certificate = try? FederationCertificate(pem: row.pem), certificate.thumbprint == thumbprint,
            anchor.signed(row.pem, signature: row.signature)
        else { return nil }
        return row
    }

    /// Who calls, by the certificate of the connection (efgs-federation-gateway, `CertificateAuthentificationFilter`).
    ///
    /// The real gateway is told the certificate's subject by its load balancer. This one knows no more of a connection than the
    /// thumbprint, so it reads the country in the certificate of the row.
    /// - Throws: 403; 400 for a certificate without a country.
    func caller(_ thumbprint: String) throws(Refusal) -> AuthenticatedCaller {
        let known = rows.first { $0.thumbprint == thumbprint }
        guard let certificate = known.flatMap({ try? FederationCertificate(pem: $0.pem) }) else {
            throw .unauthorized
        }
        guard let country = certificate.country else {
            throw Refusal(.badRequest, "Client Certificate must contain country property")
        }
        guard let row = row(thumbprint, of: country, .authentication) else { throw .unauthorized }
        guard !row.isRevoked else { throw Refusal(.forbidden, "Client certificate is revoked") }
        return AuthenticatedCaller(country: country, thumbprint: thumbprint)
    }
}

/// A country whose certificate the gateway knows.
struct AuthenticatedCaller: Sendable {
    let country: CountryCode
    /// Of the certificate of its connection.
    let thumbprint: String
}

extension Refusal {
    fileprivate static let unauthorized = Refusal(.forbidden, "Client is not authorized to access the service")
}

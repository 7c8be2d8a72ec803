package import FederationFormat

/// A country as the gateway knows it, by its certificates alone.
package struct FederationMember: Sendable {
    /// The country.
    package let code: CountryCode
    /// For TLS with the gateway.
    package let authentication: FederationCertificate
    /// For its batches.
    package let signing: FederationCertificate

    /// A country whose certificates the operator was given.
    package init(code: CountryCode, authentication: FederationCertificate, signing: FederationCertificate) {
        self.code = code
        self.authentication = authentication
        self.signing = signing
    }
}

extension SimulatedCountry {
    /// What the gateway knows of the country.
    package var member: FederationMember {
        FederationMember(
            code: code, authentication: authentication.certificate, signing: signing.certificate)
    }
}

package import FederationFormat
package import FoundationEssentials

/// A country of a simulated federation: its two certificates with their keys.
package struct SimulatedCountry: Sendable {
    /// The country.
    package let code: CountryCode
    /// For TLS with the gateway.
    package let authentication: FederationIdentity
    /// For its batches.
    package let signing: FederationIdentity

    /// Makes the keys and certificates of a country.
    /// - Parameter kind: of the key that signs batches; that of TLS is on P-256.
    package static func make(
        _ code: CountryCode, _ kind: FederationIdentity.KeyKind = .p256, validity: Range<Date>
    ) throws -> SimulatedCountry {
        SimulatedCountry(
            code: code,
            authentication: try FederationIdentity.make(
                .authentication, country: code, name: "Simulated national backend \(code)", validity: validity),
            signing: try FederationIdentity.make(
                .signing, kind, country: code, name: "Simulated batch signing \(code)", validity: validity))
    }
}

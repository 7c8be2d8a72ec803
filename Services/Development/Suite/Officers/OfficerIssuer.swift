import CompactJOSE
import Crypto
package import Foundation
package import Vigil

/// Signs officers' tokens with the key of `development-identity`, for a portal outside the suite that has no sign-in of its own.
///
/// Tokens have Keycloak's form: ES256, roles below `realm_access`.
package struct OfficerIssuer: Sendable {
    private let key: P256.Signing.PrivateKey
    /// The issuer in the tokens, which the verification server expects.
    private let issuer: String

    /// The audience of the tokens.
    package static let audience = "verification-server"

    /// The permissions of an officer.
    package enum OfficerRole: String, CaseIterable, Sendable {
        /// May ask for a teleTAN of a person's test.
        case test = "c19hotline"
        /// May ask for a teleTAN of an event.
        case event = "c19hotline_event"
    }

    /// Loads the key of a state folder; creates it if it is missing.
    ///
    /// - Parameter issuer: the provider's name, such as ``SuitePlan/issuer``.
    package init(in folder: StateFolder, issuer: String) throws {
        self.issuer = issuer
        key = try SuiteSecrets.privateKey(SuiteSecrets.officerIssuerKey, in: folder)
    }

    /// A token that a contact tracing system got for itself, for one upload of trace keys.
    /// - Parameter instant: from when it is valid, by the services' clock.
    package func traceKeyToken(at instant: Date) throws -> String {
        try sign(TraceKeyToken(issuer: issuer, at: instant))
    }

    /// A signed token.
    /// - Parameters:
    ///   - instant: from when it is valid, by the services' clock.
    ///   - lifetime: seconds.
    package func token(role: OfficerRole, at instant: Date, lifetime: TimeInterval) throws -> String {
        try sign(OfficerToken(role: role, issuer: issuer, at: instant, lifetime: lifetime))
    }

    private func sign(_ claims: some Encodable) throws -> String {
        let header = Header(kid: try OfficerKeySet(key.publicKey).keyIdentifier)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try CompactJWS.text(header: encoder.encode(header), payload: encoder.encode(claims)) { signed in
            try key.signature(for: signed).rawRepresentation
        }
    }
}

private struct Header: Encodable {
    let alg = "ES256"
    let kid: String
    let typ = "JWT"
}

/// The claims of a contact tracing system's token.
private struct TraceKeyToken: Encodable {
    let iss: String
    let aud = "health-portal"
    let sub = "contact-tracing"
    let iat: Int
    let exp: Int
    let jti = UUID().uuidString
    let scope = "trace-keys"

    init(issuer: String, at instant: Date) {
        iss = issuer
        iat = Int(instant.timeIntervalSince1970)
        exp = iat + 300
    }
}

/// The claims of an officer's token. Times are in whole seconds, as Keycloak writes them.
private struct OfficerToken: Encodable {
    struct RealmAccess: Encodable {
        let roles: [String]
    }

    let iss: String
    let aud = OfficerIssuer.audience
    let sub = "officer-1"
    let iat: Int
    let nbf: Int
    let exp: Int
    let preferredUsername = "officer"
    let realmAccess: RealmAccess

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, iat, nbf, exp
        case preferredUsername = "preferred_username"
        case realmAccess = "realm_access"
    }

    init(role: OfficerIssuer.OfficerRole, issuer: String, at instant: Date, lifetime: TimeInterval) {
        iss = issuer
        iat = Int(instant.timeIntervalSince1970)
        nbf = iat
        exp = iat + Int(lifetime)
        realmAccess = RealmAccess(roles: [role.rawValue])
    }
}

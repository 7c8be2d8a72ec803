import Crypto
package import Foundation
import JWTKit
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
    package func traceKeyToken(at instant: Date) async throws -> String {
        try await sign(TraceKeyToken(issuer: issuer, at: instant))
    }

    /// A signed token.
    /// - Parameters:
    ///   - instant: from when it is valid, by the services' clock.
    ///   - lifetime: seconds.
    package func token(role: OfficerRole, at instant: Date, lifetime: TimeInterval) async throws -> String {
        try await sign(OfficerToken(role: role, issuer: issuer, at: instant, lifetime: lifetime))
    }

    private func sign(_ claims: some JWTPayload) async throws -> String {
        let keyIdentifier = try OfficerKeySet(key.publicKey).keyIdentifier
        let keys = await JWTKeyCollection().add(
            ecdsa: try ES256PrivateKey(pem: key.pemRepresentation), kid: JWKIdentifier(string: keyIdentifier))
        return try await keys.sign(claims, kid: JWKIdentifier(string: keyIdentifier))
    }
}

/// The claims of a contact tracing system's token.
private struct TraceKeyToken: JWTPayload {
    let iss: IssuerClaim
    let aud: AudienceClaim
    let sub: SubjectClaim
    let iat: IssuedAtClaim
    let exp: ExpirationClaim
    let jti: IDClaim
    let scope: String

    init(issuer: String, at instant: Date) {
        let start = Date(timeIntervalSince1970: instant.timeIntervalSince1970.rounded(.down))
        iss = IssuerClaim(value: issuer)
        aud = AudienceClaim(value: ["health-portal"])
        sub = SubjectClaim(value: "contact-tracing")
        iat = IssuedAtClaim(value: start)
        exp = ExpirationClaim(value: start.addingTimeInterval(300))
        jti = IDClaim(value: UUID().uuidString)
        scope = "trace-keys"
    }

    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

/// The claims of an officer's token.
private struct OfficerToken: JWTPayload {
    struct RealmAccess: Codable {
        let roles: [String]
    }

    let iss: IssuerClaim
    let aud: AudienceClaim
    let sub: SubjectClaim
    let iat: IssuedAtClaim
    let nbf: NotBeforeClaim
    let exp: ExpirationClaim
    let preferredUsername: String
    let realmAccess: RealmAccess

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, iat, nbf, exp
        case preferredUsername = "preferred_username"
        case realmAccess = "realm_access"
    }

    init(role: OfficerIssuer.OfficerRole, issuer: String, at instant: Date, lifetime: TimeInterval) {
        // Whole seconds, as Keycloak writes them.
        let start = Date(timeIntervalSince1970: instant.timeIntervalSince1970.rounded(.down))
        iss = IssuerClaim(value: issuer)
        aud = AudienceClaim(value: [OfficerIssuer.audience])
        sub = SubjectClaim(value: "officer-1")
        iat = IssuedAtClaim(value: start)
        nbf = NotBeforeClaim(value: start)
        exp = ExpirationClaim(value: start.addingTimeInterval(lifetime))
        preferredUsername = "officer"
        realmAccess = RealmAccess(roles: [role.rawValue])
    }

    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

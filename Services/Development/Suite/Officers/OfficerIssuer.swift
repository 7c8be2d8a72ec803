import Crypto
package import Foundation
import JWTKit
package import Vigil

/// Stands in for the health authority's identity provider, which signs the tokens with which officers ask for a teleTAN.
///
/// Tokens have Keycloak's form: ES256, roles below `realm_access`.
package struct OfficerIssuer: Sendable {
    private let key: P256.Signing.PrivateKey

    /// The issuer in the tokens, which the verification server expects.
    package static let issuer = "https://identity.vigil.test/realms/vigil"
    /// The audience of the tokens.
    package static let audience = "verification-server"

    /// The permissions of an officer.
    package enum OfficerRole: String, CaseIterable, Sendable {
        /// May ask for a teleTAN of a person's test.
        case test = "c19hotline"
        /// May ask for a teleTAN of an event.
        case event = "c19hotline_event"
    }

    /// Loads the issuer of a state folder; creates its key if it is missing.
    package init(in folder: StateFolder) throws {
        key = try SuiteSecrets.privateKey(SuiteSecrets.officerIssuerKey, in: folder)
    }

    /// A signed token.
    /// - Parameters:
    ///   - instant: from when it is valid, by the services' clock.
    ///   - lifetime: seconds.
    package func token(role: OfficerRole, at instant: Date, lifetime: TimeInterval) async throws -> String {
        let keyIdentifier = try OfficerKeySet(key.publicKey).keyIdentifier
        let keys = await JWTKeyCollection().add(
            ecdsa: try ES256PrivateKey(pem: key.pemRepresentation), kid: JWKIdentifier(string: keyIdentifier))
        return try await keys.sign(
            OfficerToken(role: role, at: instant, lifetime: lifetime), kid: JWKIdentifier(string: keyIdentifier))
    }
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

    init(role: OfficerIssuer.OfficerRole, at instant: Date, lifetime: TimeInterval) {
        // Whole seconds, as Keycloak writes them.
        let start = Date(timeIntervalSince1970: instant.timeIntervalSince1970.rounded(.down))
        iss = IssuerClaim(value: OfficerIssuer.issuer)
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

import CompactJOSE
import Credentials
import Crypto
import FoundationEssentials
import OfficerIdentity

/// The claims of an ID token (OpenID Connect Core 1.0, section 2) that the portal checks or shows.
struct IDTokenClaims: Decodable, Sendable {
    let iss: String
    let sub: String
    let aud: Audience
    let exp: Date
    let iat: Date
    let azp: String?
    let nonce: String?
    let accessTokenHash: String?
    let acr: String?
    let authenticated: Date?
    let sid: String?
    let name: String?
    let userName: String?

    enum CodingKeys: String, CodingKey {
        case iss, sub, aud, exp, iat, azp, nonce, acr, sid, name
        case accessTokenHash = "at_hash"
        case authenticated = "auth_time"
        case userName = "preferred_username"
    }
}

/// The checks of an ID token (OpenID Connect Core 1.0, section 3.1.3.7).
struct IDTokenRules: Sendable {
    let provider: Provider
    let keys: ProviderKeys
    let log: IdentityLog

    /// Seconds since an ID token of a sign-in was made.
    private static let maximumAge: TimeInterval = 600

    /// The claims of the ID token of a sign-in.
    ///
    /// - Throws: what is wrong with it; `.keysUnread` while there are no keys.
    func claims(
        of text: String, accessToken: String, nonce: String, at now: Date
    ) async throws(IdentityFault) -> IDTokenClaims {
        guard let token = SignedToken<IDTokenClaims>(text) else { throw .tokenForm }
        let claims = token.claims
        try checkIsOurs(claims, at: now)
        guard now.timeIntervalSince(claims.iat) <= Self.maximumAge else { throw .age }
        guard let sent = claims.nonce, Array(sent.utf8).isEqual(to: Array(nonce.utf8)) else { throw .nonce }
        guard claims.accessTokenHash.map({ $0 == Self.hash(of: accessToken) }) ?? true else { throw .accessTokenHash }
        guard provider.contexts.isEmpty || claims.acr.map(provider.contexts.contains) ?? false else { throw .acr }
        guard authenticatedRecently(claims, at: now) else { throw .authTime }
        // The claims come first: only an otherwise valid token may cause the keys to be read again.
        try await keys.verify(token)
        return claims
    }

    /// The claims of the ID token that came with refreshed tokens (section 12.2).
    ///
    /// A key that isn't known, although the keys were just read again, doesn't make it wrong: the refresh token is spent, so the session
    /// would end with every key that a provider publishes late. The provider's own certificate vouches for what its token endpoint
    /// answers (section 3.1.3.7, step 6), and verification-server verifies the access token by itself.
    ///
    /// - Throws: what is wrong with it.
    func refreshed(_ text: String, at now: Date) async throws(IdentityFault) -> IDTokenClaims {
        guard let token = SignedToken<IDTokenClaims>(text) else { throw .tokenForm }
        try checkIsOurs(token.claims, at: now)
        do {
            try await keys.verify(token)
        } catch .keyUnknown, .keysUnread {
            log.note(.keyUnknown)
        }
        return token.claims
    }

    private func checkIsOurs(_ claims: IDTokenClaims, at now: Date) throws(IdentityFault) {
        guard claims.iss == provider.issuer else { throw .issuer }
        guard !claims.sub.isEmpty else { throw .subject }
        guard claims.aud.names.contains(provider.client) else { throw .audience }
        guard claims.azp.map({ $0 == provider.client }) ?? (claims.aud.names.count == 1) else {
            throw .authorizedParty
        }
        guard now < claims.exp.addingTimeInterval(Provider.skew) else { throw .expired }
        guard claims.iat <= now.addingTimeInterval(Provider.skew) else { throw .future }
    }

    private func authenticatedRecently(_ claims: IDTokenClaims, at now: Date) -> Bool {
        guard let maxAge = provider.maxAge else { return true }
        return claims.authenticated.map { now.timeIntervalSince($0) <= Double(maxAge) + Provider.skew } ?? false
    }

    /// The left half of the access token's SHA-256, the hash of all three algorithms (section 3.1.3.6).
    static func hash(of accessToken: String) -> String {
        Base64URL.text(SHA256.hash(data: accessToken.utf8).prefix(16))
    }
}

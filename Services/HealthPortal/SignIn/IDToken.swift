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

    /// Seconds since an ID token of a sign-in was made.
    private static let maximumAge: TimeInterval = 600

    /// The claims of the ID token of a sign-in; nil if anything is wrong with it.
    ///
    /// - Throws: ``Refusal/providerAway`` while there are no keys.
    func claims(
        of text: String, accessToken: String, nonce: String, at now: Date
    ) async throws(Refusal) -> IDTokenClaims? {
        guard let token = SignedToken<IDTokenClaims>(text) else { return nil }
        let claims = token.claims
        guard isOurs(claims, at: now), now.timeIntervalSince(claims.iat) <= Self.maximumAge,
            let sent = claims.nonce, Array(sent.utf8).isEqual(to: Array(nonce.utf8)),
            claims.accessTokenHash.map({ $0 == Self.hash(of: accessToken) }) ?? true,
            provider.contexts.isEmpty || claims.acr.map(provider.contexts.contains) ?? false,
            authenticatedRecently(claims, at: now)
        else { return nil }
        // The claims come first: only an otherwise valid token may cause the keys to be read again.
        guard let isSigned = await keys.verify(token) else { throw .providerAway }
        return isSigned ? claims : nil
    }

    /// The claims of the ID token that came with refreshed tokens (section 12.2); nil if anything is wrong with it.
    func refreshed(_ text: String, at now: Date) async throws(Refusal) -> IDTokenClaims? {
        guard let token = SignedToken<IDTokenClaims>(text), isOurs(token.claims, at: now) else { return nil }
        guard let isSigned = await keys.verify(token) else { throw .providerAway }
        return isSigned ? token.claims : nil
    }

    private func isOurs(_ claims: IDTokenClaims, at now: Date) -> Bool {
        claims.iss == provider.issuer && !claims.sub.isEmpty && claims.aud.names.contains(provider.client)
            && (claims.azp.map { $0 == provider.client } ?? (claims.aud.names.count == 1))
            && now < claims.exp.addingTimeInterval(Provider.skew)
            && claims.iat <= now.addingTimeInterval(Provider.skew)
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

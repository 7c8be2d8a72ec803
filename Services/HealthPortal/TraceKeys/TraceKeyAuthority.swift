import Credentials
import FoundationEssentials
import HTTPContract
import OfficerIdentity
import Running

/// Decides whether a token of the identity provider allows an upload of trace keys.
///
/// It is an access token that the provider gave the contact tracing system itself, and that names our client as audience and the scope.
/// swisscovid-cn-backend looked at how long a token is valid and not at whether it still is.
struct TraceKeyAuthority: Sendable {
    private let provider: Provider
    private let keys: ProviderKeys
    private let scope: String
    private let log: IdentityLog
    private let clock: WallClock

    /// The longest time for which a token may be valid, in seconds.
    private static let longestValidity: TimeInterval = 3600
    /// Characters of a token's identifier.
    private static let identifierLengths = 1...255

    /// From `traceKeys.scope`.
    init(_ settings: Settings, provider: Provider, keys: ProviderKeys, log: IdentityLog, clock: WallClock) {
        self.provider = provider
        self.keys = keys
        self.log = log
        self.clock = clock
        scope = settings.string("traceKeys.scope", default: "trace-keys")
    }

    /// What a token is known by, so that it is good for one upload; nil if it is invalid or doesn't allow any.
    ///
    /// - Throws: `.unavailable` while no keys of the provider could be read.
    func upload(allowedBy text: String) async throws(Problem) -> Digest? {
        do throws(IdentityFault) {
            guard let token = SignedToken<TraceKeyClaims>(text) else { throw .tokenForm }
            // The claims come first: only an otherwise valid token may cause the keys to be read again.
            try check(token.claims, at: clock.now)
            try await keys.verify(token)
            return Digest(sha256: token.claims.jti.utf8)
        } catch {
            log.note(error)
            guard error != .keysUnread else { throw .unavailable }
            return nil
        }
    }

    private func check(_ claims: TraceKeyClaims, at now: Date) throws(IdentityFault) {
        guard claims.iss == provider.issuer else { throw .issuer }
        guard claims.aud.names.contains(provider.client) else { throw .audience }
        guard claims.scope.split(separator: " ").contains(where: { $0 == scope }) else { throw .scope }
        guard Self.identifierLengths.contains(claims.jti.utf8.count) else { throw .tokenForm }
        guard now < claims.exp.addingTimeInterval(Provider.skew) else { throw .expired }
        let latest = now.addingTimeInterval(Provider.skew)
        guard claims.iat <= latest, claims.nbf.map({ $0 <= latest }) != false else { throw .future }
        guard (0...Self.longestValidity).contains(claims.exp.timeIntervalSince(claims.iat)) else { throw .age }
    }
}

/// The claims of an access token (RFC 9068, section 2.2).
struct TraceKeyClaims: Decodable, Sendable {
    let iss: String
    let aud: Audience
    let iat: Date
    let exp: Date
    let nbf: Date?
    let jti: String
    let scope: String
}

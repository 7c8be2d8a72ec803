import Credentials
import FoundationEssentials
import HTTPContract
import Metrics
import OfficerIdentity
import Running

/// Decides whether an officer's JSON web token, as Keycloak issues it, allows issuing a teleTAN.
///
/// It checks signature (by `kid`), issuer, audience, lifetime and role, each strictly. The verification server of
/// Corona-Warn-App used the first key of the identity provider, ignored the issuer, and accepted any role for a test code
/// (<https://github.com/corona-warn-app/cwa-verification-server>, `JwtService`).
struct OfficerAuthentication: Sendable {
    private let keys: ProviderKeys
    private let issuer: String
    private let audience: String
    private let rolesClaim: RolesClaim
    private let log: IdentityLog
    private let clock: WallClock

    /// How far the issuer's clock may differ, in seconds.
    private static let skew: TimeInterval = 60

    /// From `officers.keys` (path or URL of a JWKS), `officers.authorities`, `officers.issuer`, `officers.audience` and
    /// `officers.rolesClaim`.
    ///
    /// A file must contain keys at start. An identity provider may be down: everything else works without it.
    init(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let source = try ProviderKeySource(settings, key: "officers.keys", authorities: "officers.authorities")
        issuer = try settings.string("officers.issuer")
        audience = try settings.string("officers.audience")
        rolesClaim = try RolesClaim(settings, key: "officers.rolesClaim")
        clock = runtime.clock
        log = IdentityLog(runtime.logger, clock: clock)
        keys = ProviderKeys(
            source, clock: clock, failures: Counter(label: "officer_keys_failures_total", factory: runtime.metrics),
            log: log)
        if source.isFile {
            do {
                try await keys.refresh()
            } catch {
                throw ConfigurationProblem("\(error)")
            }
        }
    }

    /// The service that keeps the keys fresh.
    func refreshing(in runtime: ServiceRuntime) -> RecurringJob { keys.refreshing(in: runtime) }

    /// The officer whom a token names; nil if the token is invalid or doesn't allow this kind.
    ///
    /// - Throws: `.unavailable` while no keys could be read.
    func officer(issuing kind: TeleTANKind, token: String) async throws(Problem) -> Officer? {
        do throws(IdentityFault) {
            guard let token = SignedToken(token, as: OfficerClaims.self) else { throw .tokenForm }
            // The claims come first: only an otherwise valid token may cause the keys to be read again.
            try check(token.claims, kind)
            try await keys.verify(token)
            return Officer(subject: token.claims.subject)
        } catch {
            log.note(error)
            guard error != .keysUnread else { throw .unavailable }
            return nil
        }
    }

    private func check(_ claims: OfficerClaims, _ kind: TeleTANKind) throws(IdentityFault) {
        let now = clock.now
        guard claims.issuer == issuer else { throw .issuer }
        guard claims.audience.names.contains(audience) else { throw .audience }
        guard now < claims.expires.addingTimeInterval(Self.skew) else { throw .expired }
        guard claims.notBefore.map({ $0.addingTimeInterval(-Self.skew) <= now }) != false else { throw .future }
        guard rolesClaim.roles(in: claims.all).contains(kind.officerRole) else { throw .role }
        guard !claims.subject.isEmpty else { throw .subject }
    }
}

extension TeleTANKind {
    /// The role in the officer's token that may issue this kind, and only this kind.
    var officerRole: OfficerRole {
        switch self {
        case .test: .hotline
        case .event: .hotlineEvent
        }
    }
}

/// A health officer, for the length of a request.
struct Officer: Sendable, CustomStringConvertible {
    /// The identity provider's identifier of the officer; never stored or logged.
    let subject: String

    var description: String { "redacted" }
}

import Credentials
import FoundationEssentials
import HTTPContract
import JWTKit
import Metrics
import Running

/// Decides whether an officer's JSON web token, as Keycloak issues it, allows issuing a teleTAN.
///
/// It checks signature (by `kid`), issuer, audience, lifetime and role, each strictly. The verification server of
/// Corona-Warn-App used the first key of the identity provider, ignored the issuer, and accepted any role for a test code
/// (<https://github.com/corona-warn-app/cwa-verification-server>, `JwtService`).
struct OfficerAuthentication: Sendable {
    private let keys: OfficerKeys
    private let issuer: String
    private let audience: String
    private let clock: WallClock

    /// How far the issuer's clock may differ, in seconds.
    private static let skew: TimeInterval = 60

    /// From `officers.keys` (path or URL of a JWKS), `officers.authorities`, `officers.issuer` and `officers.audience`.
    ///
    /// A file must contain keys at start. An identity provider may be down: everything else works without it.
    init(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let source = try OfficerKeySource(settings)
        issuer = try settings.string("officers.issuer")
        audience = try settings.string("officers.audience")
        clock = runtime.clock
        keys = OfficerKeys(
            source, clock: clock, failures: Counter(label: "officer_keys_failures_total", factory: runtime.metrics))
        if case .file = source {
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
        // The claims come first: only an otherwise valid token may cause the keys to be read again.
        guard let (header, claims, _) = try? DefaultJWTParser().parse(Array(token.utf8), as: OfficerClaims.self),
            let kid = header.kid, !kid.isEmpty, allows(claims, kind)
        else { return nil }
        guard let set = await keys.set(for: kid) else { throw .unavailable }
        return await set.verify(token, header: header) ? Officer(subject: claims.subject) : nil
    }

    private func allows(_ claims: OfficerClaims, _ kind: TeleTANKind) -> Bool {
        let now = clock.now
        return claims.issuer == issuer && claims.audience.names.contains(audience)
            && now < claims.expires.addingTimeInterval(Self.skew)
            && claims.notBefore.map { $0.addingTimeInterval(-Self.skew) <= now } != false
            && claims.realmAccess.roles.contains(kind.officerRole) && !claims.subject.isEmpty
    }
}

extension TeleTANKind {
    /// The role in the officer's token that may issue this kind, and only this kind.
    var officerRole: String {
        switch self {
        case .test: "c19hotline"
        case .event: "c19hotline_event"
        }
    }
}

/// A health officer, for the length of a request.
struct Officer: Sendable, CustomStringConvertible {
    /// The identity provider's identifier of the officer; never stored or logged.
    let subject: String

    var description: String { "redacted" }
}

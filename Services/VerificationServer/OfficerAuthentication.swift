import Credentials
import FoundationEssentials
import HTTPContract
import JWTKit
import Metrics
import Running

/// Whether an officer's JSON web token, as Keycloak issues them, allows a teleTAN.
///
/// Signature (by `kid`), issuer, audience, lifetime and role are checked, each strictly: the field's first portal took
/// the first key that came, no issuer, and any role for a test code (Corona-Warn-App sheet, section 10, 6).
struct OfficerAuthentication: Sendable {
    private let keys: OfficerKeys
    private let issuer: String
    private let audience: String
    private let clock: WallClock

    /// How far the issuer's clock may be from ours, in seconds.
    private static let skew: TimeInterval = 60

    /// From `officers.keys` (path or URL of a JWKS), `officers.authorities`, `officers.issuer` and `officers.audience`.
    ///
    /// A file must hold keys now. An identity provider may be away: everything else works without it.
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

    /// Who the token says it is; nil when the token isn't in order, or doesn't allow this kind.
    ///
    /// - Throws: `.unavailable` as long as no key could be had to judge it by.
    func officer(issuing kind: TeleTANKind, token: String) async throws(Problem) -> Officer? {
        // The claims come first: only a token that would do may cause the keys to be fetched again.
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
    /// The identity provider's name for them; never stored or logged.
    let subject: String

    var description: String { "redacted" }
}

import Credentials
import FoundationEssentials
import JWTKit
import ServiceKit

/// Whether an officer's JSON web token, as Keycloak issues them, allows a teleTAN.
///
/// Signature (by `kid`), issuer, audience, lifetime and role are checked, each strictly: the field's first portal took
/// the first key that came, no issuer, and any role for a test code (Corona-Warn-App sheet, section 10, 6).
struct OfficerAuthentication: Sendable {
    private let keys: JWTKeyCollection
    private let issuer: String
    private let audience: String
    private let clock: WallClock

    /// How far the issuer's clock may be from ours, in seconds.
    private static let skew: TimeInterval = 60

    /// From `officers.keys` (path of a JWKS file), `officers.issuer` and `officers.audience`.
    init(_ settings: Settings, clock: WallClock) async throws {
        let path = try settings.path("officers.keys")
        keys = JWTKeyCollection()
        do {
            try await keys.add(jwksJSON: String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self))
        } catch {
            throw ConfigurationProblem("officers.keys must name a readable JWKS file.")
        }
        issuer = try settings.string("officers.issuer")
        audience = try settings.string("officers.audience")
        self.clock = clock
    }

    func mayIssue(_ kind: TeleTANKind, token: String) async -> Bool {
        guard let claims = try? await keys.verify(token, as: OfficerClaims.self) else { return false }
        let now = clock.now
        return claims.iss.value == issuer && claims.aud.value.contains(audience)
            && now < claims.exp.value.addingTimeInterval(Self.skew)
            && claims.nbf.map { $0.value.addingTimeInterval(-Self.skew) <= now } != false
            && claims.realmAccess.roles.contains(kind.officerRole)
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

/// The claims that count.
private struct OfficerClaims: JWTPayload {
    struct RealmAccess: Codable {
        let roles: [String]
    }

    let iss: IssuerClaim
    let aud: AudienceClaim
    let exp: ExpirationClaim
    let nbf: NotBeforeClaim?
    let realmAccess: RealmAccess

    enum CodingKeys: String, CodingKey {
        case iss, aud, exp, nbf
        case realmAccess = "realm_access"
    }

    /// The library asks for this after the signature; claims are judged above, by the service's clock.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

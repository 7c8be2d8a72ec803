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
        keys = try await Self.signingKeys(inFile: try settings.path("officers.keys"))
        issuer = try settings.string("officers.issuer")
        audience = try settings.string("officers.audience")
        self.clock = clock
    }

    /// Who the token says it is; nil when the token isn't in order, or doesn't allow this kind.
    func officer(issuing kind: TeleTANKind, token: String) async -> Officer? {
        guard let claims = try? await keys.verify(token, as: OfficerClaims.self) else { return nil }
        let now = clock.now
        guard claims.issuer == issuer, claims.audience.names.contains(audience),
            now < claims.expires.addingTimeInterval(Self.skew),
            claims.notBefore.map({ $0.addingTimeInterval(-Self.skew) <= now }) != false,
            claims.realmAccess.roles.contains(kind.officerRole), !claims.subject.isEmpty
        else { return nil }
        return Officer(subject: claims.subject)
    }

    /// The keys of a set that name a signature algorithm: a realm's set also has keys to encrypt with, and for a key
    /// without algorithm the first token would choose one.
    private static func signingKeys(inFile path: String) async throws -> JWTKeyCollection {
        let problem = ConfigurationProblem(
            "officers.keys must name a JWKS file whose keys have `kid`, at least one of them with an `alg` to sign with."
        )
        let collection = JWTKeyCollection()
        do {
            let set = try JSONDecoder().decode(JWKS.self, from: try Data(contentsOf: URL(filePath: path)))
            for key in set.keys {
                guard let algorithm = key.algorithm, algorithm != .rsaOAEP else { continue }
                try await collection.add(jwk: key)
            }
        } catch {
            throw problem
        }
        // The first key became the default: a token without or with an unknown `kid` would be tried with it.
        guard await collection.clearDefault() else { throw problem }
        return collection
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

/// The claims that count.
private struct OfficerClaims: JWTPayload {
    struct RealmAccess: Codable {
        let roles: [String]
    }

    let issuer: String
    let subject: String
    let audience: Audience
    let expires: Date
    let notBefore: Date?
    let realmAccess: RealmAccess

    enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case subject = "sub"
        case audience = "aud"
        case expires = "exp"
        case notBefore = "nbf"
        case realmAccess = "realm_access"
    }

    /// The library asks for this after the signature; claims are judged above, by the service's clock.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

/// One name or a list of names (RFC 7519, 4.1.3). The list may be empty, on which the library's own type ends the
/// process.
private struct Audience: Codable {
    let names: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        names = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(names)
    }
}

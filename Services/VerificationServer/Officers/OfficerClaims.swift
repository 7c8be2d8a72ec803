import FoundationEssentials
import JWTKit

/// The claims of an officer's token that the service checks.
struct OfficerClaims: JWTPayload {
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

    /// The library calls this after the signature; ``OfficerAuthentication`` checks the claims, by the service's clock.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

/// One name or a list of names (RFC 7519, section 4.1.3). The list may be empty, which crashes the library's own type.
struct Audience: Codable {
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

import FoundationEssentials
import OfficerIdentity

/// The claims of an officer's token that the service checks, by its own clock: ``OfficerAuthentication``.
struct OfficerClaims: Decodable, Sendable {
    let issuer: String
    let subject: String
    let audience: Audience
    let expires: Date
    let notBefore: Date?
    /// All claims, among them the roles.
    let all: ClaimTree

    enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case subject = "sub"
        case audience = "aud"
        case expires = "exp"
        case notBefore = "nbf"
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try claims.decode(String.self, forKey: .issuer)
        subject = try claims.decode(String.self, forKey: .subject)
        audience = try claims.decode(Audience.self, forKey: .audience)
        expires = try claims.decode(Date.self, forKey: .expires)
        notBefore = try claims.decodeIfPresent(Date.self, forKey: .notBefore)
        all = try ClaimTree(from: decoder)
    }
}

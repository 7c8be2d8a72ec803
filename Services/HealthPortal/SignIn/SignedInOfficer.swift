import FoundationEssentials
import OfficerIdentity

/// What a session knows about its officer. It is stored sealed only.
struct SignedInOfficer: Codable, Sendable, CustomStringConvertible {
    /// For the verification server, which judges it. Never sent after its end.
    let accessToken: String
    let accessEnds: Date
    let refreshToken: String?
    /// Tells the provider at log-out whose session to end.
    let idToken: String
    let subject: String
    /// The provider's identifier of the officer's session there.
    let providerSession: String?
    /// As the provider has it: hostile input, at most 200 characters.
    let name: String
    /// For the menu, and for what to ask of the verification server.
    let roles: Set<OfficerRole>

    /// Seconds before its end from which on an access token isn't used: the call takes time.
    private static let reserve: TimeInterval = 5
    /// Seconds before its end from which on it is refreshed.
    private static let refreshed: TimeInterval = 60

    /// - Throws: if the access token isn't this officer's, or no JSON web token.
    init(
        _ claims: IDTokenClaims, idToken: String, _ tokens: ProviderCalls.Tokens, _ rolesClaim: RolesClaim
    ) throws(IdentityFault) {
        try self.init(
            tokens, refreshToken: tokens.refreshToken, idToken: idToken, subject: claims.sub,
            providerSession: claims.sid,
            name: String((claims.name ?? claims.userName ?? "").prefix(200)), rolesClaim)
    }

    /// The same officer with refreshed tokens.
    ///
    /// - Parameter claims: of the new ID token, if there is one.
    /// - Throws: if they are another's.
    func refreshed(
        _ tokens: ProviderCalls.Tokens, _ claims: IDTokenClaims?, _ rolesClaim: RolesClaim
    ) throws(IdentityFault) -> SignedInOfficer {
        guard claims.map({ $0.sub == subject }) ?? true else { throw .subject }
        return try SignedInOfficer(
            tokens, refreshToken: tokens.refreshToken ?? refreshToken, idToken: tokens.idToken ?? idToken,
            subject: subject, providerSession: providerSession, name: name, rolesClaim)
    }

    private init(
        _ tokens: ProviderCalls.Tokens, refreshToken: String?, idToken: String, subject: String,
        providerSession: String?, name: String, _ rolesClaim: RolesClaim
    ) throws(IdentityFault) {
        guard let access = SignedToken<AccessTokenClaims>(tokens.accessToken) else { throw .accessTokenForm }
        guard access.claims.subject == subject else { throw .accessTokenSubject }
        accessToken = tokens.accessToken
        accessEnds = access.claims.expires
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.subject = subject
        self.providerSession = providerSession
        self.name = name
        roles = rolesClaim.roles(in: access.claims.all)
    }

    /// Whether the access token may still be sent.
    func canAct(at now: Date) -> Bool { now < accessEnds.addingTimeInterval(-Self.reserve) }

    /// Whether the tokens should be refreshed before they are used.
    func isDue(at now: Date) -> Bool { now > accessEnds.addingTimeInterval(-Self.refreshed) }

    var description: String { "redacted" }
}

/// The claims of an access token that the portal reads. It came from the provider itself; the verification server checks it.
private struct AccessTokenClaims: Decodable, Sendable {
    let subject: String
    let expires: Date
    /// All claims, among them the roles.
    let all: ClaimTree

    enum CodingKeys: String, CodingKey {
        case subject = "sub"
        case expires = "exp"
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        subject = try claims.decode(String.self, forKey: .subject)
        expires = try claims.decode(Date.self, forKey: .expires)
        all = try ClaimTree(from: decoder)
    }
}

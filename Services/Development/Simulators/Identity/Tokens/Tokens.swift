import Crypto
import FoundationEssentials

/// The answer to a token request (RFC 6749, section 5.1; OpenID Connect Core, section 3.1.3.3), with Keycloak's additions.
struct Tokens: Encodable {
    let accessToken: String
    let refreshToken: String
    let idToken: String
    let scope: String
    let sessionState: String
    let refreshExpiresIn: Int
    let expiresIn = Int(lifetime)
    let tokenType = "Bearer"

    /// How long access tokens and ID tokens are valid, in seconds: Keycloak's default.
    static let lifetime: TimeInterval = 300
    /// The level of a sign-in with password and one-time code.
    static let acr = "2"

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case scope
        case sessionState = "session_state"
        case refreshExpiresIn = "refresh_expires_in"
        case expiresIn = "expires_in"
        case tokenType = "token_type"
    }
}

/// The claims of an access token, in Keycloak's form: the roles are below `realm_access`.
struct AccessTokenClaims: Encodable {
    private struct RealmAccess: Encodable {
        let roles: [String]
    }

    private let iss: String
    private let aud: [String]
    private let sub: String
    private let exp: Int
    private let iat: Int
    private let authTime: Int
    private let jti = Base64URL.random(bytes: 16)
    private let typ = "Bearer"
    private let azp: String
    private let sid: String
    private let acr = Tokens.acr
    private let scope: String
    private let realmAccess: RealmAccess
    private let name: String
    private let preferredUsername: String

    init(issuer: String, client: Client, session: Session, scope: String, at now: Date) {
        iss = issuer
        // Clients and roles that Keycloak adds to those of an audience mapper and of an administrator.
        aud = [client.audience, "account"]
        sub = session.user.subject
        iat = Int(now.timeIntervalSince1970)
        exp = iat + Int(Tokens.lifetime)
        authTime = Int(session.begun.timeIntervalSince1970)
        azp = client.id
        sid = session.id
        self.scope = scope
        realmAccess = RealmAccess(
            roles: session.user.roles + ["default-roles-vigil", "offline_access", "uma_authorization"])
        name = session.user.fullName
        preferredUsername = session.user.name
    }

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, exp, iat, jti, typ, azp, sid, acr, scope, name
        case authTime = "auth_time"
        case realmAccess = "realm_access"
        case preferredUsername = "preferred_username"
    }
}

/// The claims of an ID token: who signed in, when and how. As with Keycloak, the roles aren't among them.
struct IDTokenClaims: Codable {
    let iss: String
    let aud: String
    let sub: String
    let exp: Int
    let iat: Int
    let authTime: Int
    let jti: String
    let typ: String
    let azp: String
    let sid: String
    let acr: String
    let nonce: String?
    let accessTokenHash: String
    let name: String
    let preferredUsername: String

    /// - Parameter nonce: nil in the answer to a refresh token (OpenID Connect Core, section 12.2).
    init(
        issuer: String, client: Client, session: Session, nonce: String?, access: String, at now: Date
    ) {
        iss = issuer
        aud = client.id
        sub = session.user.subject
        iat = Int(now.timeIntervalSince1970)
        exp = iat + Int(Tokens.lifetime)
        authTime = Int(session.begun.timeIntervalSince1970)
        jti = Base64URL.random(bytes: 16)
        typ = "ID"
        azp = client.id
        sid = session.id
        acr = Tokens.acr
        self.nonce = nonce
        // The left half of the hash (OpenID Connect Core, section 3.1.3.6).
        accessTokenHash = Base64URL.text(Array(SHA256.hash(data: Data(access.utf8))).prefix(16))
        name = session.user.fullName
        preferredUsername = session.user.name
    }

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, exp, iat, jti, typ, azp, sid, acr, nonce, name
        case authTime = "auth_time"
        case accessTokenHash = "at_hash"
        case preferredUsername = "preferred_username"
    }
}

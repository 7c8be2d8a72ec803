import Crypto
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Pages
import Running
import Serving

/// `POST /token`: exchanges a code, or a refresh token, for new tokens (RFC 6749, sections 4.1.3 and 6; RFC 9700).
extension IdentityProvider {
    /// Seconds in which a code must be exchanged.
    private static let codeLifetime: TimeInterval = 60

    func token(_ request: Request) throws -> Response {
        let authorization = request.headers[.authorization]
        do {
            guard let form = try? request.form() else { throw TokenError.invalidRequest }
            let authentication = ClientAuthentication(registry: registry, state: state, now: clock.now)
            let client = try authentication.client(of: form, authorization: authorization)
            switch form["grant_type"] {
            case "authorization_code": return try Self.json(exchange(form, for: client))
            case "refresh_token": return try Self.json(refresh(form, for: client))
            case nil: throw TokenError.invalidRequest
            default: throw TokenError.unsupportedGrantType
            }
        } catch let error as TokenError {
            return try error.response(usedBasic: authorization != nil)
        }
    }

    // MARK: Code

    private func exchange(_ form: URLEncodedValues, for client: Client) throws -> Tokens {
        guard let code = form["code"], let redirectURI = form["redirect_uri"], let verifier = form["code_verifier"]
        else { throw TokenError.invalidRequest }
        let now = clock.now
        let secret = Base64URL.random()
        let grantID = Base64URL.random(bytes: 16)
        let (session, request) = try state.with { contents -> (Session, AuthorizationRequest) in
            guard let issued = contents.codes[code] else { throw TokenError.invalidGrant }
            guard !issued.isUsed else {
                // Two have the code: what the first one got is worth nothing any more (RFC 6749, section 4.1.2).
                if let grant = issued.grant { contents.grants[grant] = nil }
                throw TokenError.invalidGrant
            }
            // Whatever follows, nobody gets a second try.
            contents.codes[code]?.isUsed = true
            let request = issued.request
            guard request.client.id == client.id, request.redirectURI == redirectURI,
                now.timeIntervalSince(issued.issued) <= Self.codeLifetime,
                Self.isVerifier(verifier), Base64URL.text(SHA256.hash(data: Data(verifier.utf8))) == request.challenge,
                let session = contents.session(issued.session, at: now)
            else { throw TokenError.invalidGrant }
            contents.codes[code]?.grant = grantID
            contents.grants[grantID] = Grant(
                client: client.id, session: session.id, scope: request.scope, secret: secret)
            contents.sessions[session.id]?.clients.insert(client.id)
            contents.sessions[session.id]?.lastUsed = now
            return (session, request)
        }
        return try tokens(
            client, session, scope: request.scope, nonce: request.nonce, refresh: "\(grantID).\(secret)", at: now)
    }

    /// 43 to 128 unreserved characters (RFC 7636, section 4.1).
    private static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }

    // MARK: Refresh token

    private func refresh(_ form: URLEncodedValues, for client: Client) throws -> Tokens {
        guard let token = form["refresh_token"] else { throw TokenError.invalidRequest }
        let parts = token.split(separator: ".").map { String($0) }
        guard parts.count == 2 else { throw TokenError.invalidGrant }
        let now = clock.now
        let secret = Base64URL.random()
        let (session, grant) = try state.with { contents -> (Session, Grant) in
            guard let grant = contents.grants[parts[0]], grant.client == client.id else {
                throw TokenError.invalidGrant
            }
            guard grant.secret == parts[1] else {
                // An old token: somebody has copied it (RFC 9700, section 4.14.2).
                contents.grants[parts[0]] = nil
                throw TokenError.invalidGrant
            }
            guard let session = contents.session(grant.session, at: now) else { throw TokenError.invalidGrant }
            let wanted = Set((form["scope"] ?? grant.scope).split(separator: " "))
            guard wanted.isSubset(of: grant.scope.split(separator: " ")) else { throw TokenError.invalidScope }
            contents.grants[parts[0]]?.secret = secret
            contents.sessions[session.id]?.lastUsed = now
            return (session, grant)
        }
        return try tokens(client, session, scope: grant.scope, nonce: nil, refresh: "\(parts[0]).\(secret)", at: now)
    }

    // MARK: Tokens

    private func tokens(
        _ client: Client, _ session: Session, scope: String, nonce: String?, refresh: String, at now: Date
    ) throws -> Tokens {
        let signingKey = state.signingKey
        let access = try signingKey.sign(
            AccessTokenClaims(issuer: registry.issuer, client: client, session: session, scope: scope, at: now))
        let id = try signingKey.sign(
            IDTokenClaims(
                issuer: registry.issuer, client: client, session: session, nonce: nonce, access: access,
                at: now))
        return Tokens(
            accessToken: access, refreshToken: refresh, idToken: id, scope: scope, sessionState: session.id,
            refreshExpiresIn: ProviderState.Contents.rest(of: session, at: now))
    }
}

import FoundationEssentials
import HTTPContract
import HTTPTypes
import OfficerIdentity
import Pages
import Running
import Serving

/// `POST /backchannel-logout`, for the identity provider: ends sessions that ended there (OpenID Connect Back-Channel Logout
/// 1.0).
///
/// Every request of an officer reads the session's row, so the session is over on every replica with the answer.
struct BackChannelLogOut: Sendable {
    let provider: Provider
    let keys: ProviderKeys
    let sessions: Sessions
    let log: IdentityLog
    let clock: WallClock

    /// Bytes of a body, of which the token is nearly everything.
    private static let bodyLimit = 16 << 10
    /// Seconds since a log-out token was made.
    private static let maximumAge: TimeInterval = 120

    /// 200 if the sessions have ended, 400 for anything else (section 2.8).
    func respond(_ exchange: Exchange) async throws -> Response {
        var request = exchange.request
        request.body = try await exchange.body(upTo: Self.bodyLimit)
        do {
            guard let text = try request.form()["logout_token"], let token = SignedToken<LogOutClaims>(text) else {
                throw IdentityFault.tokenForm
            }
            let claims = token.claims
            try check(claims, at: clock.now)
            try await keys.verify(token)
            let isNew = try await sessions.end(
                subject: claims.sub, providerSession: claims.sid, token: claims.jti)
            guard isNew else { throw IdentityFault.logOutUsed }
        } catch let fault as IdentityFault {
            log.note(fault)
            throw MalformedMessage()
        }
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }

    private func check(_ claims: LogOutClaims, at now: Date) throws(IdentityFault) {
        guard claims.iss == provider.issuer else { throw .issuer }
        guard claims.aud.names.contains(provider.client) else { throw .audience }
        let age = now.timeIntervalSince(claims.iat)
        guard age >= -Provider.skew else { throw .future }
        guard age <= Self.maximumAge else { throw .age }
        guard claims.exp.map({ now < $0.addingTimeInterval(Provider.skew) }) != false else { throw .expired }
        guard claims.events.isLogOut, !claims.hasNonce, !claims.jti.isEmpty,
            claims.sid?.isEmpty == false || claims.sub?.isEmpty == false
        else { throw .logOutForm }
    }
}

/// The claims of a log-out token (section 2.4).
private struct LogOutClaims: Decodable, Sendable {
    struct Events: Decodable {
        struct Event: Decodable {}

        let logOut: Event?

        var isLogOut: Bool { logOut != nil }

        enum CodingKeys: String, CodingKey {
            case logOut = "http://schemas.openid.net/event/backchannel-logout"
        }
    }

    let iss: String
    let aud: Audience
    let iat: Date
    let exp: Date?
    let jti: String
    let events: Events
    let sub: String?
    let sid: String?
    /// An ID token has one; a log-out token must not, so that neither can stand for the other.
    let hasNonce: Bool

    enum CodingKeys: String, CodingKey {
        case iss, aud, iat, exp, jti, events, sub, sid
        case hasNonce = "nonce"
    }

    init(from decoder: any Decoder) throws {
        let claims = try decoder.container(keyedBy: CodingKeys.self)
        iss = try claims.decode(String.self, forKey: .iss)
        aud = try claims.decode(Audience.self, forKey: .aud)
        iat = try claims.decode(Date.self, forKey: .iat)
        exp = try claims.decodeIfPresent(Date.self, forKey: .exp)
        jti = try claims.decode(String.self, forKey: .jti)
        events = try claims.decode(Events.self, forKey: .events)
        sub = try claims.decodeIfPresent(String.self, forKey: .sub)
        sid = try claims.decodeIfPresent(String.self, forKey: .sid)
        hasNonce = claims.contains(.hasNonce)
    }
}

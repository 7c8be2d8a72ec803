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
    let clock: WallClock

    /// Bytes of a body, of which the token is nearly everything.
    private static let bodyLimit = 16 << 10
    /// Seconds since a log-out token was made.
    private static let maximumAge: TimeInterval = 120

    /// 200 if the sessions have ended, 400 for anything else (section 2.8).
    func respond(_ exchange: Exchange) async throws -> Response {
        var request = exchange.request
        request.body = try await exchange.body(upTo: Self.bodyLimit)
        guard let text = try request.form()["logout_token"], let token = SignedToken<LogOutClaims>(text),
            isInOrder(token.claims, at: clock.now), await keys.verify(token) == true,
            try await sessions.end(
                subject: token.claims.sub, providerSession: token.claims.sid, token: token.claims.jti)
        else { throw MalformedMessage() }
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }

    private func isInOrder(_ claims: LogOutClaims, at now: Date) -> Bool {
        claims.iss == provider.issuer && claims.aud.names.contains(provider.client) && !claims.jti.isEmpty
            && (-Provider.skew...Self.maximumAge).contains(now.timeIntervalSince(claims.iat))
            && claims.exp.map { now < $0.addingTimeInterval(Provider.skew) } != false
            && claims.events.isLogOut && claims.hasNonce == false
            && (claims.sid?.isEmpty == false || claims.sub?.isEmpty == false)
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

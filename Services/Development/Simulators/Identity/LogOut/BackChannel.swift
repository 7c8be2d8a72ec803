import FoundationEssentials
import Running

/// Tells clients that a session has ended (OpenID Connect Back-Channel Logout, section 2.5).
struct BackChannel: Sendable {
    let registry: Registry
    let state: ProviderState
    let clock: WallClock
    let notify: @Sendable (_ address: String, _ token: String) async -> Int?

    /// - Returns: how many clients answered 200.
    func tell(clientsOf session: Session) async -> Int {
        var told = 0
        for client in session.clients.sorted().compactMap({ registry.client($0) }) {
            guard let address = client.backChannelLogoutURI,
                let token = try? state.signingKey.sign(
                    LogoutTokenClaims(issuer: registry.issuer, client: client, session: session, at: clock.now),
                    type: "logout+jwt")
            else { continue }
            if await notify(address, token) == 200 { told += 1 }
        }
        return told
    }
}

/// The claims of a log-out token (Back-Channel Logout, section 2.4). There is never a nonce.
struct LogoutTokenClaims: Codable {
    let iss: String
    let aud: String
    let sub: String
    let sid: String
    let iat: Int
    let exp: Int
    let jti: String
    let typ: String
    let events: [String: [String: String]]

    init(issuer: String, client: Client, session: Session, at now: Date) {
        iss = issuer
        aud = client.id
        sub = session.user.subject
        sid = session.id
        iat = Int(now.timeIntervalSince1970)
        exp = iat + 120
        jti = Base64URL.random(bytes: 16)
        typ = "Logout"
        events = ["http://schemas.openid.net/event/backchannel-logout": [:]]
    }
}

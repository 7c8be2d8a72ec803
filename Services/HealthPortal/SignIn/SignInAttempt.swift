import CompactJOSE
import Credentials
import Crypto
import FoundationEssentials
import HTTPContract
import Pages
import Serving

/// One attempt of a browser to sign in: what only this browser knows until it returns from the provider.
struct SignInAttempt: Codable, Sendable {
    /// 64 hexadecimal digits each, of 32 random bytes.
    let state: String
    let nonce: String
    /// The verifier of PKCE (RFC 7636, section 4.1).
    let verifier: String
    let begun: Date

    /// Seconds for which a browser may stay at the provider.
    private static let lifetime = 600

    private static let cookie: HostCookie.StaticName = "login"

    /// A new attempt.
    init(at now: Date) {
        state = [UInt8].random().hex
        nonce = [UInt8].random().hex
        verifier = [UInt8].random().hex
        begun = now
    }

    /// The attempt that a browser began here; nil without one, and for one that is too old.
    init?(of request: Request, _ keys: SessionKeys, at now: Date) throws(MalformedMessage) {
        guard let cookie = try request.cookie(Self.cookie), let sealed = [UInt8](hex: cookie),
            let attempt = keys.open(sealed, as: Self.self, for: Array("login".utf8), .attempt),
            (0...Double(Self.lifetime)).contains(now.timeIntervalSince(attempt.begun))
        else { return nil }
        self = attempt
    }

    /// The challenge that the provider compares with the verifier (`S256`).
    var challenge: String { Base64URL.text(SHA256.hash(data: verifier.utf8)) }

    /// The cookie that keeps the attempt, sealed.
    func cookie(_ keys: SessionKeys) throws -> HostCookie {
        try HostCookie(
            Self.cookie, try keys.seal(self, for: Array("login".utf8), .attempt).hex, maxAge: Self.lifetime)
    }

    /// Deletes the cookie.
    static let removal = HostCookie.removed(cookie)
}

import Crypto
import FoundationEssentials
package import Running
import Synchronization

/// The JSON Web Token that authenticates to APNs: one for the whole process and all of its connections.
///
/// It is renewed after 45 minutes, because APNs accepts none older than an hour, and never within 20, because APNs then
/// refuses everything (<https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns>).
package final class ProviderTokens: Sendable {
    private let header: String
    private let team: String
    private let key: P256.Signing.PrivateKey
    private let clock: WallClock
    private let state = Mutex(State())

    private struct State {
        var current: ProviderToken?
        var previous: ProviderToken?
        /// No renewal before this time.
        var notBefore: Date?
    }

    /// The lifetime of a token, in seconds.
    static let life: TimeInterval = 45 * 60
    static let shortestLife: TimeInterval = 20 * 60
    private static let longestLife: TimeInterval = 60 * 60
    /// How far Apple's clock may be behind, in seconds. Apple doesn't say whether APNs accepts a token from the future.
    private static let skew: TimeInterval = 60

    /// - Parameters:
    ///   - team: ten characters, the developer account's.
    ///   - keyID: ten characters, the key's.
    ///   - privateKey: the content of the `.p8` file.
    /// - Throws: if one of them is invalid.
    package init(team: String, keyID: String, privateKey: String, clock: WallClock) throws(ProviderTokenProblem) {
        guard Self.isIdentifier(team) else { throw .team }
        guard Self.isIdentifier(keyID) else { throw .keyID }
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: privateKey) else { throw .key }
        self.team = team
        self.key = key
        self.clock = clock
        header = Self.base64URL(Data(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
    }

    /// The token to use now.
    func current() throws -> ProviderToken {
        try state.withLock { state in
            let now = clock.now
            guard let current = state.current else { return try renew(&state, at: now) }
            let isDue = now.timeIntervalSince(current.issued) >= Self.life
            guard isDue, state.notBefore.map({ now >= $0 }) ?? true else { return current }
            return try renew(&state, at: now)
        }
    }

    /// APNs says that a token has expired: it is renewed if it is old enough, and if APNs hasn't refused the last renewal.
    func expired(_ token: ProviderToken) throws {
        try state.withLock { state in
            let now = clock.now
            guard state.current == token, now.timeIntervalSince(token.issued) >= Self.shortestLife,
                state.notBefore.map({ now >= $0 }) ?? true
            else { return }
            _ = try renew(&state, at: now)
        }
    }

    /// APNs says that tokens are renewed too often: the previous one is used again while it is valid, and there is no renewal
    /// for 20 minutes.
    func renewedTooOften(_ token: ProviderToken) {
        state.withLock { state in
            let now = clock.now
            guard state.current == token else { return }
            state.notBefore = now.addingTimeInterval(Self.shortestLife)
            if let previous = state.previous, now.timeIntervalSince(previous.issued) < Self.longestLife {
                state.current = previous
                state.previous = nil
            }
        }
    }

    private func renew(_ state: inout State, at now: Date) throws -> ProviderToken {
        let second = Int((now - Self.skew).timeIntervalSince1970.rounded(.down))
        let claims = Self.base64URL(Data(#"{"iss":"\#(team)","iat":\#(second)}"#.utf8))
        let signed = "\(header).\(claims)"
        let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
        let token = ProviderToken(text: "\(signed).\(Self.base64URL(signature))", issued: now)
        state.previous = state.current
        state.current = token
        state.notBefore = nil
        return token
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            }
    }

    /// RFC 4648, section 5, without padding.
    private static func base64URL(_ data: Data) -> String {
        String(
            data.base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }
}

/// One token. It is a secret, although a short-lived one.
struct ProviderToken: Sendable, Equatable {
    let text: String
    let issued: Date
}

/// Which of the configured credentials is invalid.
package enum ProviderTokenProblem: Error {
    case team
    case keyID
    case key
}

import Crypto
import FoundationEssentials
import StrictJSON

/// Checks a provider token as APNs does
/// (<https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns>).
struct ProviderTokenCheck: Sendable {
    /// A token with a valid signature.
    struct Known: Sendable {
        let keyID: String
        let issued: Date
    }

    let team: String
    let keys: [String: P256.Signing.PublicKey]

    /// How old a token may be, and how far in the future its issue time may be, in seconds.
    static let life: TimeInterval = 3600
    private static let leeway: TimeInterval = 60

    /// - Parameter authorization: the header field, nil if there is none.
    func known(_ authorization: String?) throws(Rejection) -> Known {
        guard let authorization else { throw Rejection(403, "MissingProviderToken") }
        guard authorization.lowercased().hasPrefix("bearer ") else { throw Rejection(403, "InvalidProviderToken") }
        let parts = authorization.dropFirst(7).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header: Header = Self.decoded(parts[0]),
            let claims: Claims = Self.decoded(parts[1]),
            let signature = Self.data(parts[2]), header.alg == "ES256", let key = keys[header.kid], claims.iss == team,
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(ecdsa, for: Data("\(parts[0]).\(parts[1])".utf8))
        else { throw Rejection(403, "InvalidProviderToken") }
        return Known(keyID: header.kid, issued: Date(timeIntervalSince1970: claims.iat))
    }

    /// Checks that the token is neither expired nor issued in the future.
    func check(_ token: Known, at now: Date) throws(Rejection) {
        let age = now.timeIntervalSince(token.issued)
        guard age > -Self.leeway else { throw Rejection(403, "InvalidProviderToken") }
        guard age <= Self.life else { throw Rejection(403, "ExpiredProviderToken") }
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String
    }

    private struct Claims: Decodable {
        let iss: String
        /// A number; text is refused.
        let iat: Double
    }

    private static func decoded<Content: Decodable>(_ part: Substring) -> Content? {
        data(part).flatMap { try? StrictJSON.decode(Content.self, from: $0) }
    }

    private static func data(_ part: Substring) -> Data? {
        guard !part.contains(where: { "+/=".contains($0) }) else { return nil }
        var text = part.map { character -> Character in
            switch character {
            case "-": "+"
            case "_": "/"
            default: character
            }
        }
        while text.count % 4 != 0 { text.append("=") }
        return Data(base64Encoded: String(text))
    }
}

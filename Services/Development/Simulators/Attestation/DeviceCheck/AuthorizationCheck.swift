import CompactJOSE
import Crypto
import FoundationEssentials
import StrictJSON

/// Checks the header field `Authorization` as Apple's service does: `Bearer` and a JWT with ES256.
struct AuthorizationCheck: Sendable {
    let team: String
    let keys: [String: P256.Signing.PublicKey]

    /// Seconds for which a token is good, and by which it may come from the future.
    static let life: TimeInterval = 3600
    private static let leeway: TimeInterval = 60
    /// Characters. Those of clients have about 200.
    private static let longest = 4096

    private struct Header: Decodable {
        let kid: String
    }

    private struct Claims: Decodable {
        let iss: String
        /// A number; text is refused.
        let iat: Double
    }

    /// - Returns: what is wrong; nil for nothing.
    func refusal(of authorization: String?, at now: Date) -> DeviceCheckReply.Refusal? {
        guard let authorization, authorization.lowercased().hasPrefix("bearer "),
            case let text = String(authorization.dropFirst(7)), let token = CompactJWS(text, longest: Self.longest),
            token.header.algorithm == "ES256",
            let encodedHeader = text.split(separator: ".").first.flatMap({ Base64URL.bytes($0) }),
            let header = try? StrictJSON.decode(Header.self, from: Data(encodedHeader)),
            let claims = try? StrictJSON.decode(Claims.self, from: Data(token.payload))
        else { return .missingAuthorization }
        guard let key = keys[header.kid], claims.iss == team,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature),
            key.isValidSignature(signature, for: token.signedBytes)
        else { return .invalidAuthorization }
        let age = now.timeIntervalSince1970 - claims.iat
        guard age > -Self.leeway else { return .invalidAuthorization }
        return age <= Self.life ? nil : .expiredAuthorization
    }
}

import CompactJOSE
import FoundationEssentials
import StrictJSON

/// A JSON web token (RFC 7519) whose claims have been read, but whose signature has not been verified.
package struct SignedToken<Claims: Decodable & Sendable>: Sendable, CustomStringConvertible {
    /// What the token claims. Nothing of it is proven before ``ProviderKeys/verify(_:)``.
    package let claims: Claims
    /// The name of the key that signed it, according to its header; not empty.
    package let keyID: String
    let jws: CompactJWS

    /// The maximum length of a token, in characters. It is more than any header field or form here admits.
    private static var longest: Int { 64 << 10 }

    /// Nil for text that isn't a token with these claims and the name of a key, and for a token with an extension that its header
    /// declares critical (RFC 7515, section 4.1.11).
    package init?(_ text: String, as claims: Claims.Type = Claims.self) {
        guard let jws = CompactJWS(text, longest: Self.longest), let keyID = jws.header.keyID, !keyID.isEmpty,
            let claims = try? StrictJSON.decode(claims, from: Data(jws.payload), dates: .secondsSince1970)
        else { return nil }
        self.claims = claims
        self.keyID = keyID
        self.jws = jws
    }

    package var description: String { "redacted" }
}

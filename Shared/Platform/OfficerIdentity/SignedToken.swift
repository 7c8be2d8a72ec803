package import JWTKit

/// A JSON web token (RFC 7519) whose claims have been read, but whose signature has not been verified.
package struct SignedToken<Claims: JWTPayload>: Sendable, CustomStringConvertible {
    /// What the token claims. Nothing of it is proven before ``ProviderKeys/verify(_:)``.
    package let claims: Claims
    /// The name of the key that signed it, according to its header; not empty.
    package let keyID: String
    let text: String
    let header: JWTHeader

    /// Nil for text that isn't a token with these claims and the name of a key.
    package init?(_ text: String, as claims: Claims.Type = Claims.self) {
        guard let (header, claims, _) = try? DefaultJWTParser().parse(Array(text.utf8), as: claims),
            let keyID = header.kid, !keyID.isEmpty
        else { return nil }
        self.claims = claims
        self.keyID = keyID
        self.text = text
        self.header = header
    }

    package var description: String { "redacted" }
}

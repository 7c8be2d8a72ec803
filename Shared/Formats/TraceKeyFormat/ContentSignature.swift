package import Crypto
package import FoundationEssentials
import StrictJSON

/// The header field `Signature` of a list of trace keys: a JSON web token (RFC 7519, ES256) that names the list's digest.
///
/// The claims are those of swisscovid-cn-backend: `content-hash` (SHA-256 in Base64), `hash-alg`, `iat`, `exp`, `iss`.
package struct ContentSignature: Hashable, Sendable {
    /// What is signed: header and claims in base64url.
    package let input: String
    private let claims: Claims

    private struct Claims: Codable, Hashable {
        let contentHash: String
        let hashAlgorithm: String
        let issued: Int64
        let expires: Int64
        let issuer: String

        enum CodingKeys: String, CodingKey {
            case contentHash = "content-hash"
            case hashAlgorithm = "hash-alg"
            case issued = "iat"
            case expires = "exp"
            case issuer = "iss"
        }
    }

    private struct Header: Codable {
        let alg: String
    }

    private static let algorithm = "ES256"
    private static let hashAlgorithm = "sha-256"
    private static let issuer = "dp3t"

    /// - Parameters:
    ///   - body: the list as it is sent.
    ///   - issued: in seconds since 1970.
    ///   - lifetime: in seconds.
    package init(of body: [UInt8], issued: Int64, lifetime: Int64) throws {
        claims = Claims(
            contentHash: Self.hash(of: body), hashAlgorithm: Self.hashAlgorithm, issued: issued,
            expires: issued + lifetime, issuer: Self.issuer)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let parts = [try encoder.encode(Header(alg: Self.algorithm)), try encoder.encode(claims)]
        input = parts.map { Base64URL.text($0, isPadded: false) }.joined(separator: ".")
    }

    /// What is signed, as a key in a device takes it.
    package var digest: SHA256Digest { SHA256.hash(data: Array(input.utf8)) }

    /// The field's value.
    /// - Parameter signature: over ``digest``, DER.
    /// - Throws: for anything else.
    package func token(signature: [UInt8]) throws -> String {
        let raw = try P256.Signing.ECDSASignature(derRepresentation: signature).rawRepresentation
        return "\(input).\(Base64URL.text(raw, isPadded: false))"
    }

    /// Reads a field's value: what it claims, and the signature (DER), which has yet to be verified. Nil if it isn't one.
    package static func read(_ token: String) -> (signature: ContentSignature, bytes: [UInt8])? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.bytes(parts[0]), let claims = Base64URL.bytes(parts[1]),
            (try? StrictJSON.decode(Header.self, from: Data(header)))?.alg == algorithm,
            let read = try? StrictJSON.decode(Claims.self, from: Data(claims)),
            let raw = Base64URL.bytes(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
        else { return nil }
        return (
            ContentSignature(input: "\(parts[0]).\(parts[1])", claims: read), Array(signature.derRepresentation)
        )
    }

    private init(input: String, claims: Claims) {
        self.input = input
        self.claims = claims
    }

    /// Whether it was made for this body, and holds now.
    package func covers(_ body: [UInt8], at now: Date) -> Bool {
        claims.hashAlgorithm == Self.hashAlgorithm && claims.contentHash == Self.hash(of: body)
            && claims.issuer == Self.issuer && now.timeIntervalSince1970 < Double(claims.expires)
    }

    private static func hash(of body: [UInt8]) -> String {
        Data(SHA256.hash(data: body)).base64EncodedString()
    }
}

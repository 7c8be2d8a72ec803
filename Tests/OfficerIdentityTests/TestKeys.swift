import CompactJOSE
import Crypto
import CryptoExtras
import Foundation

/// A key of a provider, with what the provider publishes of it.
struct TestKey: Sendable {
    enum Secret: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case ec(P256.Signing.PrivateKey)
    }

    let secret: Secret
    /// The members of the published key, as JSON.
    var members: [String: String]

    /// A key on P-256 of this name.
    static func ec(_ kid: String) -> TestKey {
        let key = P256.Signing.PrivateKey()
        let point = key.publicKey.rawRepresentation
        return TestKey(
            secret: .ec(key),
            members: [
                "kty": #""EC""#, "crv": #""P-256""#, "kid": #""\#(kid)""#, "alg": #""ES256""#, "use": #""sig""#,
                "x": #""\#(Base64URL.text(point.prefix(32)))""#, "y": #""\#(Base64URL.text(point.suffix(32)))""#,
            ])
    }

    /// RSA of this name and algorithm. It is the same key for all names: making one takes long.
    static func rsa(_ kid: String, _ algorithm: String) throws -> TestKey {
        let key = try rsaKey.get()
        let numbers = try key.publicKey.getKeyPrimitives()
        return TestKey(
            secret: .rsa(key),
            members: [
                "kty": #""RSA""#, "kid": #""\#(kid)""#, "alg": #""\#(algorithm)""#, "use": #""sig""#,
                "n": #""\#(Base64URL.text(numbers.modulus))""#, "e": #""\#(Base64URL.text(numbers.publicExponent))""#,
            ])
    }

    private static let rsaKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    /// The key without a member, or with another one.
    func with(_ name: String, _ value: String?) -> TestKey {
        var changed = self
        changed.members[name] = value
        return changed
    }

    /// The published key.
    var json: String {
        "{\(members.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ","))}"
    }

    /// Signs by an algorithm, whatever the key was made for.
    func sign(_ bytes: [UInt8], _ algorithm: String) throws -> [UInt8] {
        let digest = SHA256.hash(data: bytes)
        switch secret {
        case .ec(let key): return Array(try key.signature(for: digest).rawRepresentation)
        case .rsa(let key):
            let padding: _RSA.Signing.Padding = algorithm == "PS256" ? .PSS : .insecurePKCS1v1_5
            return Array(try key.signature(for: digest, padding: padding).rawRepresentation)
        }
    }

    /// A token of the subject `s`, by default with the header that belongs to it.
    func token(_ algorithm: String, kid: String, header: String? = nil) throws -> String {
        let header = header ?? #"{"alg":"\#(algorithm)","kid":"\#(kid)"}"#
        return try CompactJWS.text(header: header.utf8, payload: #"{"sub":"s"}"#.utf8) { try sign($0, algorithm) }
    }

    /// What a provider publishes.
    static func set(_ keys: [TestKey]) -> Data { Data(#"{"keys":[\#(keys.map(\.json).joined(separator: ","))]}"#.utf8) }
}

/// The only claim of the tests' tokens.
struct Subject: Decodable, Sendable {
    let sub: String
}

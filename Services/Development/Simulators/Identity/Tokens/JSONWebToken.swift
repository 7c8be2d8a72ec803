import Crypto
import FoundationEssentials
import StrictJSON

/// A token in compact form (RFC 7515, section 7.1), signed with ES256.
struct JSONWebToken {
    struct Header: Codable {
        let alg: String
        var kid: String?
        var typ: String?
    }

    private let signed: String
    private let claims: [UInt8]
    private let signature: [UInt8]

    /// Nil unless it has three parts and says ES256.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.bytes(parts[0]), let claims = Base64URL.bytes(parts[1]),
            let signature = Base64URL.bytes(parts[2]),
            let decoded = try? StrictJSON.decode(Header.self, from: Data(header)), decoded.alg == "ES256"
        else { return nil }
        signed = "\(parts[0]).\(parts[1])"
        self.claims = claims
        self.signature = signature
    }

    /// The claims; nil if another key signed them, or if one is missing.
    func claims<Claims: Decodable>(signedBy key: P256.Signing.PublicKey, as type: Claims.Type) -> Claims? {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(signature, for: Data(signed.utf8))
        else { return nil }
        return try? StrictJSON.decode(Claims.self, from: Data(claims))
    }
}

import Credentials
import Crypto
package import FoundationEssentials
package import HTTPContract

/// Names a public key: the first 16 bytes of its SHA-256.
package struct KeyName: Hashable, Sendable {
    /// Exactly 16 bytes.
    package let bytes: [UInt8]

    /// The name of a public key in the form of X9.63.
    package init(of publicKey: some DataProtocol) { bytes = Array(SHA256.hash(data: publicKey).prefix(16)) }

    /// Nil unless the text is 32 lower-case hexadecimal digits.
    package init?(_ text: String) {
        guard let bytes = [UInt8](hex: text), bytes.count == 16, bytes.hex == text else { return nil }
        self.bytes = bytes
    }

    /// 32 lower-case hexadecimal digits.
    package var text: String { bytes.hex }

    static let schema = JSONSchema.text(pattern: "[0-9a-f]{32}")
}

/// An app's public key, and what shows that the app has its private half.
package struct KeyRegistration: JSONMessage, Equatable {
    /// 65 bytes: a point of P-256, uncompressed (X9.63).
    package let publicKey: Data
    /// A signature in DER with the key, over ``provedText(for:)``.
    package let proof: Data
    /// What `DCAppAttestService.attestKey` returned for SHA-256 of the public key; only where a country demands it.
    package let attestation: Data?
    /// The name of the key that Apple attested, 32 bytes.
    package let attestedKeyId: Data?

    /// A key, its proof and, where it is demanded, what Apple says of the app.
    package init(publicKey: Data, proof: Data, attestation: Data? = nil, attestedKeyId: Data? = nil) {
        self.publicKey = publicKey
        self.proof = proof
        self.attestation = attestation
        self.attestedKeyId = attestedKeyId
    }

    /// What the proof signs. No call has such a text, so a proof is no signature of one.
    package static func provedText(for publicKey: Data) -> Data { Data("further key\n".utf8) + publicKey }

    package static var schema: JSONSchema {
        .object(
            ["publicKey": .text(pattern: "B[A-Za-z0-9+/]{86}="), "proof": .base64],
            optional: ["attestation": .base64, "attestedKeyId": .base64])
    }
}

/// The name of a key that was registered, now or before.
package struct KeyAnswer: JSONMessage, Equatable {
    /// 32 lower-case hexadecimal digits.
    package let keyId: String

    /// An answer with a key's name.
    package init(_ name: KeyName) { keyId = name.text }

    package static var schema: JSONSchema { .object(["keyId": KeyName.schema]) }
}

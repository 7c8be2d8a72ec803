import Credentials
import Crypto
package import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// A message as it was sent, and the signature over its bytes if its sender signed it.
package struct SignedMessage<Content: JSONMessage & Equatable>: WireMessage, Equatable {
    /// What the body says.
    package let content: Content
    /// The body. Spaces after the content are padding.
    package let body: Data
    /// Nil if the sender didn't sign.
    package var signature: CallSignature?

    /// A message that isn't signed yet, with a body as long as any may be: so its length tells nothing.
    package init(_ content: Content) throws {
        let text = try content.encodedBody()
        self.content = content
        body = text + Data(repeating: UInt8(ascii: " "), count: max(0, FurtherAPI.bodyLimit - text.count))
    }

    package static var mediaType: MediaType? { .json }
    package static var bodySchema: JSONSchema? { Content.schema }
    package static var headerNames: [HTTPField.Name] { CallSignature.fields }
    package static var fieldSchemas: [HTTPField.Name: FieldSchema] { CallSignature.fieldSchemas }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        content = try Content(fields: fields, body: body)
        signature = try CallSignature(fields: fields)
        self.body = body
    }

    package func encoded() -> EncodedMessage {
        EncodedMessage(fields: signature?.encoded ?? [:], body: body)
    }
}

/// Shows that a call comes from whoever has a key: ECDSA with P-256 and SHA-256 over ``text(of:timestamp:nonce:body:)``.
package struct CallSignature: Equatable, Sendable {
    /// Names the key.
    package let key: KeyName
    /// When it was signed, in seconds since 1970.
    package let timestamp: Int64
    /// 16 random bytes, other ones for each call.
    package let nonce: [UInt8]
    /// DER.
    package let signature: [UInt8]

    /// Bytes of a nonce.
    package static let nonceCount = 16

    /// A signature from its parts.
    package init(key: KeyName, timestamp: Int64, nonce: [UInt8], signature: [UInt8]) {
        self.key = key
        self.timestamp = timestamp
        self.nonce = nonce
        self.signature = signature
    }

    /// What is signed: method, path, timestamp, nonce and SHA-256 of the body, a line each, without a last line's end.
    package static func text(of route: Route, timestamp: Int64, nonce: [UInt8], body: Data) -> [UInt8] {
        let digest = Array(SHA256.hash(data: body)).hex
        return Array("\(route.method.rawValue)\n\(route.path)\n\(timestamp)\n\(nonce.hex)\n\(digest)".utf8)
    }

    static let fields: [HTTPField.Name] = [.furtherKey, .furtherTimestamp, .furtherNonce, .furtherSignature]

    /// Nil if no field is there.
    init?(fields: HTTPFields) throws(MalformedMessage) {
        let texts = Self.fields.map { fields[$0] }
        guard texts.contains(where: { $0 != nil }) else { return nil }
        guard let key = texts[0].flatMap(KeyName.init), let time = texts[1], let timestamp = Int64(time),
            "\(timestamp)" == time, let digits = texts[2], let nonce = [UInt8](hex: digits),
            nonce.count == Self.nonceCount, nonce.hex == digits,
            let signature = texts[3].flatMap({ Data(base64Encoded: $0) })
        else { throw MalformedMessage() }
        self.init(key: key, timestamp: timestamp, nonce: nonce, signature: Array(signature))
    }

    var encoded: HTTPFields {
        [
            .furtherKey: key.text, .furtherTimestamp: "\(timestamp)", .furtherNonce: nonce.hex,
            .furtherSignature: Data(signature).base64EncodedString(),
        ]
    }

    static let fieldSchemas: [HTTPField.Name: FieldSchema] = [
        .furtherKey: .optional(KeyName.schema), .furtherTimestamp: .optional(.wholeNumber),
        .furtherNonce: .optional(.text(pattern: "[0-9a-f]{32}")),
        .furtherSignature: .optional(.base64),
    ]
}

extension HTTPField.Name {
    /// The name of the key that signed a call.
    package static let furtherKey = further("X-Further-Key")
    /// When a call was signed.
    package static let furtherTimestamp = further("X-Further-Timestamp")
    /// What makes a call's signature another than any before.
    package static let furtherNonce = further("X-Further-Nonce")
    /// The signature of a call.
    package static let furtherSignature = further("X-Further-Signature")

    private static func further(_ name: StaticString) -> HTTPField.Name {
        guard let field = HTTPField.Name(name.description) else { preconditionFailure("not a field name") }
        return field
    }
}

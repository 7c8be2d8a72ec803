package import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// What a health authority's contact tracing system does with trace keys (notifyme-sdk-backend, `TraceKeyController`).
package enum TraceKeyAPI {
    /// Stores trace keys, all or none, for phones that read SwissCovid's layout.
    ///
    /// A token is good for one body, which may be sent again. In notifyme-sdk-backend it was good for any number, or not even asked for.
    package static let traceKeys = Endpoint<TraceKeyUpload, NoContent>(
        .post, "/v3/traceKeys", callers: [.contactTracing], bodyLimit: 262_144,
        summary: "Stores trace keys, all or none of them.",
        refusals: [
            .badRequest:
                "The body isn't \(maximumKeys) keys at most, two keys have one identity and nonce, or one is of a day that phones "
                + "don't remember or that hasn't begun. The token stays good.",
            .unauthorized: "The token is missing or invalid, for whatever reason.",
            .conflict: "The token was used for another body.",
            .tooManyRequests: "There would be more than 2,000 keys; nothing was stored, and the token stays good.",
        ])

    /// The maximum number of keys in one body.
    package static let maximumKeys = 100
}

/// An upload as it arrives: the body is read only after the token is checked.
package struct TraceKeyUpload: WireMessage, Equatable {
    /// A JSON web token of the identity provider; nil if there was none.
    package let token: String?
    /// Trace keys in JSON, as phones download them.
    package let body: Data

    /// Creates an upload from its parts.
    package init(token: String?, body: Data) {
        self.token = token
        self.body = body
    }

    package static var mediaType: MediaType? { .json }
    package static var headerNames: [HTTPField.Name] { [.authorization] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        let parts = fields[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        // The scheme is case-insensitive (RFC 9110, 11.1).
        token = parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
        self.body = body
    }

    package func encoded() -> EncodedMessage {
        EncodedMessage(fields: token.map { [.authorization: "Bearer \($0)"] } ?? [:], body: body)
    }
}

extension TraceKeyUpload {
    package static var bodySchema: JSONSchema? {
        .array(
            of: .object([
                "version": .integer(in: 4...4), "identity": bytes(32), "secretKeyForIdentity": bytes(48),
                "day": .integer(in: 0...Int(Int32.max) * 1000), "encryptedAssociatedData": .text(count: 22...1368),
                "cipherTextNonce": bytes(24),
            ]), count: 1...TraceKeyAPI.maximumKeys)
    }

    package static var fieldSchemas: [HTTPField.Name: FieldSchema] { [.authorization: .optional(.text())] }

    /// So many bytes in base64url.
    private static func bytes(_ count: Int) -> JSONSchema {
        let letters = (count * 4 + 2) / 3
        return .text(pattern: "[A-Za-z0-9_-]{\(letters)}={0,2}")
    }
}

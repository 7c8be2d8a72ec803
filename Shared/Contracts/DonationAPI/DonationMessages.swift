package import Credentials
package import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// A serialised `DonationRequest`. Only data-donation reads its content; the metadata proxy passes it on.
package struct DonationBody: WireMessage, Equatable {
    /// The body.
    package let payload: Data
    /// Whether the field `cwa-fake` is a number other than 0. In cwa-ppa-server only `/srs` looks at it.
    package let isFake: Bool

    /// A request as an app sends it.
    package init(_ payload: Data, isFake: Bool = false) {
        self.payload = payload
        self.isFake = isFake
    }

    package static var mediaType: MediaType? { .protobuf }
    package static var headerNames: [HTTPField.Name] { [.cwaFake] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        isFake =
            try fields[.cwaFake].map { text throws(MalformedMessage) in
                guard let number = Int(text) else { throw MalformedMessage() }
                return number != 0
            } ?? false
        payload = body
    }

    package static var fieldSchemas: [HTTPField.Name: FieldSchema] { [.cwaFake: .optional(.wholeNumber)] }

    package func encoded() -> EncodedMessage {
        EncodedMessage(fields: [.cwaFake: isFake ? "1" : "0"], body: payload)
    }
}

/// Until when a password may be used.
package struct ExpirationAnswer: JSONMessage, Equatable {
    /// As Java's pattern `yyyy-MM-dd'T'HH:mm:ssXXX` has it, in UTC: `2026-11-25T12:00:00Z`.
    package let expirationDate: String

    /// An answer for an instant, cut to the second.
    package init(_ instant: Date) {
        expirationDate = Date(timeIntervalSince1970: instant.timeIntervalSince1970.rounded(.down))
            .formatted(.iso8601)
    }

    package static var schema: JSONSchema { .object(["expirationDate": .text(count: 20...20)]) }
}

/// What assertions of App Attest have to cover.
package struct ChallengeAnswer: JSONMessage, Equatable {
    /// 32 bytes in Base64.
    package let challenge: String

    /// An answer with a challenge.
    package init(_ challenge: [UInt8]) { self.challenge = Data(challenge).base64EncodedString() }

    package static var schema: JSONSchema { .object(["challenge": .text(count: 44...44)]) }
}

/// A password that somebody entered or sent elsewhere.
package struct RedemptionRequest: JSONMessage, Equatable {
    /// As it was sent.
    package let otp: String
    /// From the field `Idempotency-Key`, an addition of Vigil: with it a repeat succeeds again, so that a lost answer doesn't waste the
    /// password.
    package var idempotencyKey: IdempotencyKey?

    /// A request for a password.
    package init(_ otp: String, idempotencyKey: IdempotencyKey? = nil) {
        self.otp = otp
        self.idempotencyKey = idempotencyKey
    }

    private enum CodingKeys: CodingKey { case otp }

    package static var headerNames: [HTTPField.Name] { [.idempotencyKey] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try JSONDecoder().decode(Self.self, from: body)
        } catch {
            throw MalformedMessage()
        }
        idempotencyKey = try fields[.idempotencyKey].map { text throws(MalformedMessage) in
            guard let key = IdempotencyKey(text) else { throw MalformedMessage() }
            return key
        }
    }

    package func encoded() throws -> EncodedMessage {
        var fields: HTTPFields = [:]
        if let idempotencyKey { fields[.idempotencyKey] = "\"\(idempotencyKey.text)\"" }
        return EncodedMessage(fields: fields, body: try encodedBody())
    }

    package static var fieldSchemas: [HTTPField.Name: FieldSchema] {
        [.idempotencyKey: .optional(.text(pattern: #"([A-Za-z0-9+/=_-]{22,64}|"[A-Za-z0-9+/=_-]{22,64}")"#))]
    }

    package static var schema: JSONSchema {
        .object([
            "otp": .text(
                // A UUID of version 3 or 4.
                pattern: "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[34][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}",
                examples: ["9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d"])
        ])
    }
}

/// What became of a password (cwa-ppa-server, `OtpRedemptionResponse`).
package struct RedemptionAnswer: JSONMessage, Equatable {
    /// In lower case.
    package let otp: String
    /// What became of it.
    package let state: State
    /// Whether the device's hardware vouched for the app.
    package let strongClientIntegrityCheck: Bool

    /// What became of a password.
    package enum State: String, Codable, Sendable, CaseIterable {
        /// It was good, and this call used it up.
        case valid
        /// Another call used it up.
        case redeemed
        /// It ended before.
        case expired
    }

    /// An answer about a password.
    package init(_ otp: String, _ state: State, isStrong: Bool) {
        self.otp = otp
        self.state = state
        strongClientIntegrityCheck = isStrong
    }

    package static var schema: JSONSchema {
        .object([
            "otp": .text(count: 36...36), "state": .name(of: State.self),
            "strongClientIntegrityCheck": .boolean,
        ])
    }
}

/// The same for the servers of surveys and logs, where every state but `valid` has the status 400 (cwa-ppa-server, `OtpController`).
package struct StrictRedemptionAnswer: JSONMessage, Equatable {
    /// The body.
    package let answer: RedemptionAnswer

    /// An answer about a password.
    package init(_ answer: RedemptionAnswer) { self.answer = answer }

    package init(from decoder: any Decoder) throws { answer = try RedemptionAnswer(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try answer.encode(to: encoder) }

    package func encoded() throws -> EncodedMessage {
        var message = EncodedMessage(body: try encodedBody())
        if answer.state != .valid { message.status = .badRequest }
        return message
    }

    package static var schema: JSONSchema { RedemptionAnswer.schema }
}

package import Credentials
package import FoundationEssentials
package import HTTPContract
package import HTTPTypes
import StrictJSON

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
            self = try StrictJSON.decode(Self.self, from: body)
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

    package static var schema: JSONSchema { .object(["otp": .password]) }
}

extension JSONSchema {
    /// A UUID of version 3 or 4.
    fileprivate static let password = text(
        pattern: "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[34][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}",
        examples: ["9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d"])
}

/// What became of a password (cwa-ppa-server, `OtpRedemptionResponse`). Every state but `valid` has the status 400 (`OtpController`).
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

    package func encoded() throws -> EncodedMessage {
        var message = EncodedMessage(body: try encodedBody())
        if state != .valid { message.status = .badRequest }
        return message
    }

    package static var schema: JSONSchema {
        .object([
            "otp": .text(count: 36...36), "state": .name(of: State.self),
            "strongClientIntegrityCheck": .boolean,
        ])
    }
}

/// A self-report's password, and what makes repeats of the report one redemption.
package struct ReportRedemption: Codable, Equatable, Sendable {
    /// As it was sent.
    package let otp: String
    /// With the same key a repeat succeeds again, with another one it doesn't.
    package let idempotencyKey: IdempotencyKey

    /// An entry from its parts.
    package init(_ otp: String, idempotencyKey: IdempotencyKey) {
        self.otp = otp
        self.idempotencyKey = idempotencyKey
    }

    private enum CodingKeys: CodingKey { case otp, idempotencyKey }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = IdempotencyKey(try values.decode(String.self, forKey: .idempotencyKey)) else {
            throw MalformedMessage()
        }
        self.init(try values.decode(String.self, forKey: .otp), idempotencyKey: key)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(otp, forKey: .otp)
        try values.encode(idempotencyKey.text, forKey: .idempotencyKey)
    }
}

/// Redemptions in one call; each succeeds or fails independently.
package struct ReportRedemptions: JSONMessage, Equatable {
    /// 1...256 entries.
    package let redemptions: [ReportRedemption]

    /// A call with these entries; only the server checks their number (400).
    package init(_ redemptions: [ReportRedemption]) { self.redemptions = redemptions }

    package static var schema: JSONSchema {
        .object([
            "redemptions": .array(
                of: .object([
                    "otp": .password,
                    "idempotencyKey": .text(pattern: #"([A-Za-z0-9+/=_-]{22,64}|"[A-Za-z0-9+/=_-]{22,64}")"#),
                ]), count: 1...DonationAPI.maximumEntries)
        ])
    }
}

/// Which passwords are redeemed by their entries, now or before, in the order of the request. Unknown, ended and otherwise redeemed ones
/// aren't told apart.
package struct RedeemedReports: JSONMessage, Equatable {
    /// One value for each entry.
    package let redeemed: [Bool]

    /// An answer to a call with as many entries.
    package init(_ redeemed: [Bool]) { self.redeemed = redeemed }

    package static var schema: JSONSchema {
        .object(["redeemed": .array(of: .boolean, count: 1...DonationAPI.maximumEntries)])
    }
}

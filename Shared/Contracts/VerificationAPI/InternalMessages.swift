package import Credentials
package import FoundationEssentials
package import HTTPContract
package import HTTPTypes
import StrictJSON

/// The purpose of an upload, which decides what may authorise it.
package enum UploadPurpose: String, Codable, Sendable, CaseIterable {
    /// A person's own keys: TANs from a test, or from a teleTAN of kind `TEST`.
    case diagnosisKeys = "DIAGNOSIS_KEYS"
    /// A warning on behalf of an event's organiser: TANs from a teleTAN of kind `EVENT`.
    case onBehalf = "ON_BEHALF"
    /// A person's own keys without a registered test: one-time passwords that data-donation gave out.
    case selfReport = "SELF_REPORT"
}

/// Reserves one TAN for the upload that the tag identifies.
///
/// A self-report has a one-time password in place of the TAN. Apps choose it, and it has a TAN's form: a random UUID
/// (cwa-app-android, `SrsOtp`).
///
/// The tag is a keyed hash over TAN and key data, made by the submission server. The first tag wins; the same
/// tag again succeeds again, so that no crash and no lost answer costs a phone its upload; another tag never does.
package struct TANReservation: Codable, Equatable, Sendable {
    /// The TAN, or the password in lower case; an unknown one is refused, and isn't an error.
    package let tan: TAN
    /// Identifies the upload. Without the submission server's key it reveals nothing about keys or TAN.
    package let tag: Digest
    /// The upload's purpose. A TAN of another kind is refused and stays unused.
    package let purpose: UploadPurpose

    /// Creates a reservation from its parts.
    package init(tan: TAN, tag: Digest, purpose: UploadPurpose) {
        self.tan = tan
        self.tag = tag
        self.purpose = purpose
    }
}

/// Reservations in one call; each succeeds or fails independently.
package struct TANReservations: JSONMessage, Equatable {
    /// 1...256 entries.
    package let reservations: [TANReservation]

    /// Creates a call with these entries; only the server checks their number (400).
    package init(_ reservations: [TANReservation]) { self.reservations = reservations }
}

/// Confirms that an upload is stored, so that its reserved TAN is used.
package struct TANConfirmation: Codable, Equatable, Sendable {
    /// The reserved TAN or password.
    package let tan: TAN
    /// The tag of the reservation; another one is refused.
    package let tag: Digest

    /// Creates a confirmation from its parts.
    package init(tan: TAN, tag: Digest) {
        self.tan = tan
        self.tag = tag
    }
}

/// Confirmations in one call; each succeeds or fails independently.
package struct TANConfirmations: JSONMessage, Equatable {
    /// 1...256 entries.
    package let confirmations: [TANConfirmation]

    /// Creates a call with these entries; only the server checks their number (400).
    package init(_ confirmations: [TANConfirmation]) { self.confirmations = confirmations }
}

/// The outcome of each entry, in the order of the request.
package struct TANOutcomes: JSONMessage, Equatable {
    /// The outcome of one entry.
    package enum Outcome: String, Codable, Sendable, CaseIterable {
        /// The TAN belongs to this upload, now or already.
        case granted = "GRANTED"
        /// Unknown, expired, of the wrong kind, or another upload's; the cases aren't distinguished.
        case refused = "REFUSED"
        /// A self-report's, while data-donation can't be asked about its password: repeat later. Only reservations have it.
        case unanswered = "UNANSWERED"
    }

    /// One outcome for each entry, in their order.
    package let outcomes: [Outcome]
    /// Positions of reservations whose upload was confirmed before: it is stored, and what the phone sends now is a repeat.
    ///
    /// Missing in other answers, and in those of servers that didn't say so yet.
    package let confirmed: [Int]?

    /// An answer to a call with as many entries.
    package init(_ outcomes: [Outcome], confirmed: [Int]? = nil) {
        self.outcomes = outcomes
        self.confirmed = confirmed
    }
}

/// An officer's request for a teleTAN, in header fields only.
package struct TeleTANRequest: WireMessage, Equatable {
    /// The officer's JSON web token.
    package let officerToken: String
    /// From the field `X-CWA-TELETAN-TYPE`: a missing field means a test, an unknown name is answered with 400.
    package let kind: TeleTANKind
    /// From the field `Idempotency-Key`, an addition of Vigil: a repeat by the same officer with the same key and kind gets the
    /// same teleTAN, so that a lost answer doesn't cost a second one. Portals of Corona-Warn-App send none.
    package let idempotencyKey: IdempotencyKey?

    /// Creates a request from its parts.
    package init(officerToken: String, kind: TeleTANKind, idempotencyKey: IdempotencyKey? = nil) {
        self.officerToken = officerToken
        self.kind = kind
        self.idempotencyKey = idempotencyKey
    }

    package static var mediaType: MediaType? { nil }
    package static var headerNames: [HTTPField.Name] { [.authorization, .teleTANType, .idempotencyKey] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        let parts = fields[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        // The scheme is case-insensitive (RFC 9110, 11.1).
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw MalformedMessage() }
        officerToken = String(parts[1])
        switch fields[.teleTANType] {
        case nil: kind = .test
        case let name?:
            guard let kind = TeleTANKind(rawValue: name) else { throw MalformedMessage() }
            self.kind = kind
        }
        idempotencyKey = try fields[.idempotencyKey].map { text throws(MalformedMessage) in
            guard let key = IdempotencyKey(text) else { throw MalformedMessage() }
            return key
        }
    }

    package func encoded() -> EncodedMessage {
        var fields: HTTPFields = [.authorization: "Bearer \(officerToken)", .teleTANType: kind.rawValue]
        if let idempotencyKey { fields[.idempotencyKey] = "\"\(idempotencyKey.text)\"" }
        return EncodedMessage(fields: fields)
    }
}

/// A new teleTAN, for the officer to read out (cwa-verification-server, `InternalTanController`).
package struct TeleTANResponse: JSONMessage, Equatable {
    /// All ten characters, including the check character.
    package let value: TeleTAN
    /// When the teleTAN ends, in whole seconds since 1970; an addition of Vigil, as is ``remaining``.
    package let validUntil: Int64
    /// How many more teleTANs this officer may make in this hour of the clock; 0 or more. The limit of all officers together
    /// may stop them earlier.
    package let remaining: Int

    /// Creates an answer from its parts.
    package init(_ value: TeleTAN, validUntil: Int64, remaining: Int) {
        self.value = value
        self.validUntil = validUntil
        self.remaining = remaining
    }
}

/// Whether teleTANs are accepted, or refused for the rest of the hour because too many wrong ones were.
package struct TeleTANState: JSONMessage, Equatable {
    /// False once an hour's limit of wrong teleTANs is reached, as far as the answering process knows.
    package let areAccepted: Bool

    /// Creates an answer.
    package init(areAccepted: Bool) { self.areAccepted = areAccepted }
}

/// Redeems one TAN at once, as cwa-server's submission service does (cwa-verification-server, `InternalTanController`).
package struct TANVerification: JSONMessage, Equatable {
    /// The TAN as the phone sent it.
    package let tan: TAN
    /// From the field `Idempotency-Key`, an addition of Vigil: with it, a repeat succeeds again while the TAN is valid, so that
    /// a lost answer doesn't waste the TAN. cwa-server sends none.
    package var idempotencyKey: IdempotencyKey?

    /// Creates a request to redeem a TAN.
    package init(_ tan: TAN, idempotencyKey: IdempotencyKey? = nil) {
        self.tan = tan
        self.idempotencyKey = idempotencyKey
    }

    package static var headerNames: [HTTPField.Name] { [.idempotencyKey] }

    private enum CodingKeys: CodingKey { case tan }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try StrictJSON.decode(Self.self, from: body)
        } catch {
            throw MalformedMessage()
        }
        if let text = fields[.idempotencyKey] {
            guard let key = IdempotencyKey(text) else { throw MalformedMessage() }
            idempotencyKey = key
        }
    }

    package func encoded() throws -> EncodedMessage {
        var fields: HTTPFields = [:]
        if let idempotencyKey { fields[.idempotencyKey] = "\"\(idempotencyKey.text)\"" }
        return EncodedMessage(fields: fields, body: try encodedBody())
    }
}

/// The TAN was valid and is now redeemed (cwa-verification-server, `InternalTanController`).
package struct VerifiedTAN: WireMessage, Equatable {
    /// The kind of the teleTAN behind the TAN, in the field `X-CWA-TELETAN-TYPE`; nil if the TAN is for a test.
    package let kind: TeleTANKind?

    /// Creates an answer with the TAN's kind.
    package init(kind: TeleTANKind?) { self.kind = kind }

    package static var mediaType: MediaType? { nil }
    package static var headerNames: [HTTPField.Name] { [.teleTANType] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        kind = try fields[.teleTANType].map { name throws(MalformedMessage) in
            guard let kind = TeleTANKind(rawValue: name) else { throw MalformedMessage() }
            return kind
        }
    }

    package func encoded() -> EncodedMessage {
        EncodedMessage(fields: kind.map { [.teleTANType: $0.rawValue] } ?? [:])
    }
}

/// The certificate server's query on behalf of a phone (cwa-verification-server, `InternalTestStateController`).
package struct CertificateResultRequest: JSONMessage, Equatable {
    /// The token that the phone handed over.
    package let registrationToken: RegistrationToken

    /// Creates a query for the result of a registered test.
    package init(_ registrationToken: RegistrationToken) { self.registrationToken = registrationToken }
}

/// A result with the name under which the laboratory posted it, so that the laboratory can be asked for a certificate
/// (cwa-verification-server, `InternalTestStateController`).
package struct CertificateResultResponse: JSONMessage, Equatable {
    /// The result as apps know it.
    package let testResult: TestResultCode
    /// When the sample was taken, in seconds since the epoch.
    package let sampleCollected: Int32
    /// The laboratory's name for itself, if it gave one.
    package let labID: String?
    /// The test's hashed GUID.
    package let testID: HashedGUID

    /// Creates an answer from its parts.
    package init(testResult: TestResultCode, sampleCollected: Int32, labID: String?, testID: HashedGUID) {
        self.testResult = testResult
        self.sampleCollected = sampleCollected
        self.labID = labID
        self.testID = testID
    }

    private enum CodingKeys: String, CodingKey {
        case testResult
        case sampleCollected = "sc"
        case labID = "labId"
        case testID = "testId"
    }
}

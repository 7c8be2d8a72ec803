package import Credentials
package import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// What an upload wants to do, and so which TANs may authorise it.
package enum UploadPurpose: String, Codable, Sendable, CaseIterable {
    /// A person's own keys: TANs from a test, or from a teleTAN of kind `TEST`.
    case diagnosisKeys = "DIAGNOSIS_KEYS"
    /// A warning on behalf of an event's organiser: TANs from a teleTAN of kind `EVENT`.
    case onBehalf = "ON_BEHALF"
}

/// One TAN, wanted for the upload that the tag stands for.
///
/// The tag is a keyed hash over TAN and canonical content, made by the submission server. The first tag wins; the same
/// tag again succeeds again, so that no crash and no lost answer costs a phone its upload; another tag never does.
package struct TANReservation: Codable, Equatable, Sendable {
    /// As the phone sent it; an unknown one is refused, not an error.
    package let tan: TAN
    /// Stands for the upload; without the submission server's key it tells nothing about keys or TAN.
    package let tag: Digest
    /// A TAN of a kind that doesn't fit is refused and stays free.
    package let purpose: UploadPurpose

    /// A reservation as its parts.
    package init(tan: TAN, tag: Digest, purpose: UploadPurpose) {
        self.tan = tan
        self.tag = tag
        self.purpose = purpose
    }
}

/// Reservations in one call; each succeeds or fails for itself.
package struct TANReservations: JSONMessage, Equatable {
    /// 1...256 entries.
    package let reservations: [TANReservation]

    /// A call with these entries; only the server checks their number (400).
    package init(_ reservations: [TANReservation]) { self.reservations = reservations }
}

/// An upload is stored; the TAN it was reserved for is spent.
package struct TANConfirmation: Codable, Equatable, Sendable {
    /// The TAN as it was reserved.
    package let tan: TAN
    /// The tag under which it was reserved; another one is refused.
    package let tag: Digest

    /// A confirmation as its parts.
    package init(tan: TAN, tag: Digest) {
        self.tan = tan
        self.tag = tag
    }
}

/// Confirmations in one call; each succeeds or fails for itself.
package struct TANConfirmations: JSONMessage, Equatable {
    /// 1...256 entries.
    package let confirmations: [TANConfirmation]

    /// A call with these entries; only the server checks their number (400).
    package init(_ confirmations: [TANConfirmation]) { self.confirmations = confirmations }
}

/// What became of each entry, in the order of the request.
package struct TANOutcomes: JSONMessage, Equatable {
    /// What became of one entry.
    package enum Outcome: String, Codable, Sendable, CaseIterable {
        /// The TAN is this upload's, now or already.
        case granted = "GRANTED"
        /// Unknown, expired, of the wrong kind, or another upload's: they are not told apart.
        case refused = "REFUSED"
    }

    /// As many as there were entries, in their order.
    package let outcomes: [Outcome]

    /// An answer to a call with as many entries.
    package init(_ outcomes: [Outcome]) { self.outcomes = outcomes }
}

/// An officer's wish for a teleTAN: header fields only.
package struct TeleTANRequest: WireMessage, Equatable {
    /// The officer's JSON web token.
    package let officerToken: String
    /// From the field `X-CWA-TELETAN-TYPE`: missing means a test, an unknown name is 400.
    package let kind: TeleTANKind

    /// A wish as its parts.
    package init(officerToken: String, kind: TeleTANKind) {
        self.officerToken = officerToken
        self.kind = kind
    }

    package static var mediaType: MediaType? { nil }
    package static var headerNames: [HTTPField.Name] { [.authorization, .teleTANType] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        let parts = fields[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        // The scheme's case doesn't matter (RFC 9110, 11.1).
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw MalformedMessage() }
        officerToken = String(parts[1])
        switch fields[.teleTANType] {
        case nil: kind = .test
        case let name?:
            guard let kind = TeleTANKind(rawValue: name) else { throw MalformedMessage() }
            self.kind = kind
        }
    }

    package func encoded() -> EncodedMessage {
        EncodedMessage(fields: [.authorization: "Bearer \(officerToken)", .teleTANType: kind.rawValue])
    }
}

/// A new teleTAN, for the officer to read out (cwa-verification-server, `InternalTanController`).
package struct TeleTANResponse: JSONMessage, Equatable {
    /// All ten characters, the check character included.
    package let value: TeleTAN

    /// An answer with a teleTAN.
    package init(_ value: TeleTAN) { self.value = value }
}

/// One TAN to redeem at once, as cwa-server's submission service asks (cwa-verification-server, `InternalTanController`).
package struct TANVerification: JSONMessage, Equatable {
    /// As the phone sent it.
    package let tan: TAN
    /// From the field `Idempotency-Key`, ours: with it a repeat succeeds again as long as the TAN is good, so that a lost
    /// answer doesn't burn it. cwa-server sends none.
    package var idempotencyKey: IdempotencyKey?

    /// A wish to use up a TAN.
    package init(_ tan: TAN, idempotencyKey: IdempotencyKey? = nil) {
        self.tan = tan
        self.idempotencyKey = idempotencyKey
    }

    package static var headerNames: [HTTPField.Name] { [.idempotencyKey] }

    private enum CodingKeys: CodingKey { case tan }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try JSONDecoder().decode(Self.self, from: body)
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
    /// Of the teleTAN that the TAN came of; nil for that of a test. In the field `X-CWA-TELETAN-TYPE`.
    package let kind: TeleTANKind?

    /// An answer with the TAN's kind.
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

/// The certificate server asks on behalf of a phone (cwa-verification-server, `InternalTestStateController`).
package struct CertificateResultRequest: JSONMessage, Equatable {
    /// As the phone gave it.
    package let registrationToken: RegistrationToken

    /// A question for the result of a registered test.
    package init(_ registrationToken: RegistrationToken) { self.registrationToken = registrationToken }
}

/// A result, and under which name the laboratory posted it, so that a certificate can be asked of the laboratory
/// (cwa-verification-server, `InternalTestStateController`).
package struct CertificateResultResponse: JSONMessage, Equatable {
    /// As the apps know it.
    package let testResult: TestResultCode
    /// When the sample was taken, in seconds since the epoch.
    package let sampleCollected: Int32
    /// The laboratory's name for itself, where it gave one.
    package let labID: String?
    /// The test's hashed GUID.
    package let testID: HashedGUID

    /// An answer as its parts.
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

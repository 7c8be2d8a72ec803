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
    package let tan: TAN
    package let tag: Digest
    package let purpose: UploadPurpose

    package init(tan: TAN, tag: Digest, purpose: UploadPurpose) {
        self.tan = tan
        self.tag = tag
        self.purpose = purpose
    }
}

package struct TANReservations: JSONMessage, Equatable {
    /// 1...256 entries.
    package let reservations: [TANReservation]

    package init(_ reservations: [TANReservation]) { self.reservations = reservations }
}

/// An upload is stored; the TAN it was reserved for is spent.
package struct TANConfirmation: Codable, Equatable, Sendable {
    package let tan: TAN
    package let tag: Digest

    package init(tan: TAN, tag: Digest) {
        self.tan = tan
        self.tag = tag
    }
}

package struct TANConfirmations: JSONMessage, Equatable {
    /// 1...256 entries.
    package let confirmations: [TANConfirmation]

    package init(_ confirmations: [TANConfirmation]) { self.confirmations = confirmations }
}

/// What became of each entry, in the order of the request.
package struct TANOutcomes: JSONMessage, Equatable {
    package enum Outcome: String, Codable, Sendable {
        /// The TAN is this upload's, now or already.
        case granted = "GRANTED"
        /// Unknown, expired, of the wrong kind, or another upload's: they are not told apart.
        case refused = "REFUSED"
    }

    package let outcomes: [Outcome]

    package init(_ outcomes: [Outcome]) { self.outcomes = outcomes }
}

/// An officer's wish for a teleTAN: header fields only.
package struct TeleTANRequest: WireMessage, Equatable {
    /// The officer's JSON web token.
    package let officerToken: String
    package let kind: TeleTANKind

    package init(officerToken: String, kind: TeleTANKind) {
        self.officerToken = officerToken
        self.kind = kind
    }

    package static var mediaType: MediaType? { nil }
    package static var headerNames: [HTTPField.Name] { [.authorization, .teleTANType] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        let scheme = "Bearer "
        guard let authorization = fields[.authorization], authorization.hasPrefix(scheme) else {
            throw MalformedMessage()
        }
        officerToken = String(authorization.dropFirst(scheme.count))
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

package struct TeleTANResponse: JSONMessage, Equatable {
    package let value: TeleTAN

    package init(_ value: TeleTAN) { self.value = value }
}

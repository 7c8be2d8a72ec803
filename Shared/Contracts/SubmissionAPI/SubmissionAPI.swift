package import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// What the submission server offers to apps (Corona-Warn-App sheet, 4.1).
package enum SubmissionAPI {
    /// An upload of diagnosis keys.
    package static let diagnosisKeys = Endpoint<DiagnosisKeysUpload, UploadAccepted>(
        .post, "/version/v1/diagnosis-keys", callers: [.metadataProxy], bodyLimit: 100_000,
        summary: "Stores the diagnosis keys of a positive test.",
        refusals: [
            .badRequest: "The payload is refused, or `cwa-fake` is no whole number.",
            .forbidden: "The TAN is refused, for whatever reason, or the caller has another role.",
        ])
}

/// An upload as it arrives: the payload is not read before the header fields are judged, and the TAN not before the
/// payload is.
package struct DiagnosisKeysUpload: WireMessage, Equatable {
    /// The TAN as sent, whatever its shape: a malformed one is refused like an unknown one.
    package let authorization: String
    /// True when the field `cwa-fake` was a number but 0 (Corona-Warn-App sheet, 4.1); no number is 400.
    package let isFake: Bool
    /// A serialised `SubmissionPayload`.
    package let payload: Data

    /// An upload as a phone sends it.
    package init(authorization: String, isFake: Bool = false, payload: Data) {
        self.authorization = authorization
        self.isFake = isFake
        self.payload = payload
    }

    package static var mediaType: MediaType? { .protobuf }
    package static var headerNames: [HTTPField.Name] { [.cwaAuthorization, .cwaFake] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        guard let fake = fields[.cwaFake].flatMap({ Int($0) }) else { throw MalformedMessage() }
        authorization = fields[.cwaAuthorization] ?? ""
        isFake = fake != 0
        payload = body
    }

    package func encoded() -> EncodedMessage {
        EncodedMessage(
            fields: [.cwaAuthorization: authorization, .cwaFake: isFake ? "1" : "0"], body: payload)
    }
}

/// The upload is stored, or was already. The numbers are about check-ins, which apps read from header fields.
package struct UploadAccepted: WireMessage, Equatable {
    /// Check-ins of the upload that were left out, for the field `cwa-filtered-checkins`.
    package let filteredCheckIns: Int
    /// Check-ins of the upload that were stored, for the field `cwa-saved-checkins`.
    package let savedCheckIns: Int

    /// Both numbers are 0 unless given: this suite stores no check-ins, but apps expect the fields.
    package init(filteredCheckIns: Int = 0, savedCheckIns: Int = 0) {
        self.filteredCheckIns = filteredCheckIns
        self.savedCheckIns = savedCheckIns
    }

    package static var mediaType: MediaType? { nil }
    package static var headerNames: [HTTPField.Name] { [.filteredCheckIns, .savedCheckIns] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        guard let filtered = fields[.filteredCheckIns].flatMap({ Int($0) }),
            let saved = fields[.savedCheckIns].flatMap({ Int($0) })
        else { throw MalformedMessage() }
        filteredCheckIns = filtered
        savedCheckIns = saved
    }

    package func encoded() -> EncodedMessage {
        EncodedMessage(
            fields: [.filteredCheckIns: String(filteredCheckIns), .savedCheckIns: String(savedCheckIns)])
    }
}

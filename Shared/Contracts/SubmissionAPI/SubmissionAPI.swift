package import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// What the submission server offers to apps (cwa-server, `SubmissionController`).
package enum SubmissionAPI {
    /// A person's upload of diagnosis keys and check-in reports.
    package static let diagnosisKeys = Endpoint<UploadRequest, UploadAccepted>(
        .post, "/version/v1/diagnosis-keys", callers: [.metadataProxy], bodyLimit: 100_000,
        summary: "Stores the diagnosis keys of a positive test, and reports about the venues that were visited.",
        refusals: refusals)

    /// An organiser's upload of reports about one venue, authorised by a health officer's teleTAN of kind `EVENT`.
    ///
    /// The original has no dummy request for it (404), so that whoever calls it is known to warn. Here it has one.
    package static let onBehalf = Endpoint<UploadRequest, UploadAccepted>(
        .post, "/version/v1/submission-on-behalf", callers: [.metadataProxy], bodyLimit: 100_000,
        summary: "Stores reports about an event, on behalf of its visitors.", refusals: refusals)

    private static let refusals: [HTTPResponse.Status: String] = [
        .badRequest: "The payload is refused, there is no TAN, or `cwa-fake` is no whole number.",
        .forbidden: "The TAN is refused, for whatever reason, or the caller has another role.",
    ]
}

/// An upload as it arrives: the payload is not read before the header fields are judged, and the TAN not before the
/// payload is.
package struct UploadRequest: WireMessage, Equatable {
    /// The TAN as sent, whatever its shape: a malformed one is refused like an unknown one. Nil when there was none.
    package let authorization: String?
    /// True when the field `cwa-fake` was a number other than 0; anything but a number is 400 (cwa-server, `SubmissionController`).
    package let isFake: Bool
    /// A serialised `SubmissionPayload`.
    package let payload: Data

    /// An upload as a phone sends it.
    package init(authorization: String?, isFake: Bool = false, payload: Data) {
        self.authorization = authorization
        self.isFake = isFake
        self.payload = payload
    }

    package static var mediaType: MediaType? { .protobuf }
    package static var headerNames: [HTTPField.Name] { [.cwaAuthorization, .cwaFake] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        guard let fake = fields[.cwaFake].flatMap({ Int($0) }) else { throw MalformedMessage() }
        authorization = fields[.cwaAuthorization]
        isFake = fake != 0
        payload = body
    }

    package func encoded() -> EncodedMessage {
        var fields: HTTPFields = [.cwaFake: isFake ? "1" : "0"]
        fields[.cwaAuthorization] = authorization
        return EncodedMessage(fields: fields, body: payload)
    }
}

/// The upload is stored, or was already. The numbers are about check-ins, which apps read from header fields.
package struct UploadAccepted: WireMessage, Equatable {
    /// Check-ins of the upload that were left out, for the field `cwa-filtered-checkins`.
    package let filteredCheckIns: Int
    /// Check-ins of the upload that were stored, for the field `cwa-saved-checkins`.
    package let savedCheckIns: Int

    /// Both numbers are 0 unless given, as in the answer to a fake.
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

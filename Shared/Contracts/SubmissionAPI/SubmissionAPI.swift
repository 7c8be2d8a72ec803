package import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// The operations that the submission server offers to apps: two of the Corona-Warn-App's (cwa-server, `SubmissionController`), and
/// one for Apple's venue reports.
package enum SubmissionAPI {
    /// A person's upload of diagnosis keys and check-in reports.
    package static let diagnosisKeys = Endpoint<UploadRequest, UploadAccepted>(
        .post, "/version/v1/diagnosis-keys", callers: [.metadataProxy], bodyLimit: 100_000,
        summary: "Stores the diagnosis keys of a positive test or a self-report, and reports about venues.",
        refusals: refusals)

    /// An organiser's upload of reports about one venue, authorised by a health officer's teleTAN of kind `EVENT`.
    ///
    /// In cwa-server this operation has no dummy request (404), so a call reveals that the caller is issuing a warning. Here it
    /// has one.
    package static let onBehalf = Endpoint<UploadRequest, UploadAccepted>(
        .post, "/version/v1/submission-on-behalf", callers: [.metadataProxy], bodyLimit: 100_000,
        summary: "Stores reports about an event, on behalf of its visitors.", refusals: refusals)

    /// A person's or an organiser's upload of venue reports in Apple's form; a person's with or without diagnosis keys and check-in reports
    /// of the Corona-Warn-App.
    ///
    /// Every body has exactly 8,192 bytes. The kind of TAN must fit the submission type in it: `EVENT` for an organiser's warning.
    package static let venueReports = Endpoint<UploadRequest, UploadAccepted>(
        .post, "/version/v1/venue-reports", callers: [.metadataProxy], bodyLimit: 8192,
        summary: "Stores reports about venues that only their visitors can read, and diagnosis keys, if there are any.",
        refusals: refusals)

    private static let refusals: [HTTPResponse.Status: String] = [
        .badRequest:
            "The payload is refused, there isn't either a TAN or a password, or `cwa-fake` is no whole number.",
        .forbidden: "The TAN or the password is refused, for whatever reason, or the caller has another role.",
    ]
}

/// An upload as it arrives.
///
/// The payload is read only after the header fields are checked, and the TAN only after the payload.
package struct UploadRequest: WireMessage, Equatable {
    /// The TAN as sent, whatever its form: a malformed one is refused like an unknown one. Nil if there was none.
    package let authorization: String?
    /// The one-time password of a self-report as sent; nil if there was none.
    package let password: String?
    /// Whether the field `cwa-fake` is a number other than 0; anything but a number is answered with 400 (cwa-server,
    /// `SubmissionController`).
    package let isFake: Bool
    /// A serialised `SubmissionPayload`; for ``SubmissionAPI/venueReports`` a `VenueReportUpload`.
    package let payload: Data

    /// Creates an upload as a phone sends it.
    package init(authorization: String?, password: String? = nil, isFake: Bool = false, payload: Data) {
        self.authorization = authorization
        self.password = password
        self.isFake = isFake
        self.payload = payload
    }

    package static var mediaType: MediaType? { .protobuf }
    package static var headerNames: [HTTPField.Name] { [.cwaAuthorization, .cwaOTP, .cwaFake] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        guard let fake = fields[.cwaFake].flatMap({ Int($0) }) else { throw MalformedMessage() }
        authorization = fields[.cwaAuthorization]
        password = fields[.cwaOTP]
        isFake = fake != 0
        payload = body
    }

    /// What authorises an upload.
    package enum Credential: Equatable, Sendable {
        /// A TAN as sent.
        case tan(String)
        /// The one-time password of a self-report as sent.
        case password(String)
    }

    /// What is to authorise the upload; nil if neither or both were sent. An empty field counts as none (cwa-server,
    /// `SubmissionController`).
    package var credential: Credential? {
        switch (authorization ?? "", password ?? "") {
        case ("", ""): nil
        case (let tan, ""): .tan(tan)
        case ("", let password): .password(password)
        default: nil
        }
    }

    package func encoded() -> EncodedMessage {
        var fields: HTTPFields = [.cwaFake: isFake ? "1" : "0"]
        fields[.cwaAuthorization] = authorization
        fields[.cwaOTP] = password
        return EncodedMessage(fields: fields, body: payload)
    }
}

/// The upload is stored, now or before. The numbers are about check-ins; apps read them from header fields.
package struct UploadAccepted: WireMessage, Equatable {
    /// How many check-ins of the upload were dropped, for the field `cwa-filtered-checkins`.
    package let filteredCheckIns: Int
    /// How many check-ins of the upload were stored, for the field `cwa-saved-checkins`.
    package let savedCheckIns: Int

    /// Creates an answer. Both numbers default to 0, as in the answer to a dummy request.
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

import ExposureFormat
import ExposureKeys
import FoundationEssentials
import HTTPContract
import Venues
import VerificationAPI

/// The rules for an upload's payload:
/// <https://github.com/corona-warn-app/cwa-server/blob/main/services/submission/src/main/java/app/coronawarn/server/services/submission/validation/ValidSubmissionPayload.java>.
struct PayloadRules: Sendable {
    /// The country of this backend's users; a payload names this country or none.
    let origin: String
    private let keyRules = UploadRules(maximumKeys: UploadContent.maximumKeys)

    /// Reads and checks a payload.
    ///
    /// A key or report that breaks a rule is dropped. A payload that breaks the contract as a whole is refused with the
    /// contract's single answer for that.
    /// - Parameter isSelfReport: whether a password came with it, and no TAN.
    func check(
        _ payload: Data, sentAs form: UploadForm, isSelfReport: Bool, limit: Int
    ) throws(Problem) -> CheckedUpload {
        let upload: CheckedUpload
        switch form {
        case .diagnosisKeys:
            let message = try submission(payload, limit: limit)
            upload = try ofPerson(message, with: withReports(of: message))
        case .onBehalf:
            upload = try onBehalf(try submission(payload, limit: limit))
        case .venueReports:
            upload = try venueReports(payload)
        }
        guard isSelfReport == (upload.purpose == .selfReport) else { throw Problem.badRequest }
        return upload
    }

    private func submission(_ payload: Data, limit: Int) throws(Problem) -> SubmissionPayload {
        guard let message = try? SubmissionPayload(decoding: Array(payload), maximum: limit), isFromHere(message) else {
            throw Problem.badRequest
        }
        return message
    }

    private func isFromHere(_ message: SubmissionPayload) -> Bool { message.origin.isEmpty || message.origin == origin }

    /// Reports in Apple's form. A person's may come with keys, and with reports of the Corona-Warn-App: one TAN carries visits of both
    /// kinds. An organiser's are a warning, of which nobody can see whether it is about one venue, so their number is the only limit; it
    /// has no others, which say themselves what they are about and have an operation of their own.
    private func venueReports(_ payload: Data) throws(Problem) -> CheckedUpload {
        guard let upload = try? VenueUpload(decoding: Array(payload)) else { throw Problem.badRequest }
        let message = upload.submission ?? SubmissionPayload()
        guard isFromHere(message) else { throw Problem.badRequest }
        var content = withReports(of: message)
        content.venueReports = Set(upload.reports).sorted()
        content.left.reports += upload.reports.count - content.venueReports.count
        guard message.submissionType == .hostWarning else {
            return try ofPerson(message, with: content)
        }
        guard isWarning(message), message.checkInProtectedReports.isEmpty, !content.venueReports.isEmpty else {
            throw Problem.badRequest
        }
        return CheckedUpload(content: content, purpose: .onBehalf)
    }

    /// - Parameter content: the reports that come with the keys.
    private func ofPerson(
        _ message: SubmissionPayload, with reports: UploadContent
    ) throws(Problem) -> CheckedUpload {
        guard message.visitedCountries.allSatisfy(Self.isCountry) else { throw Problem.badRequest }
        let purpose = Self.purpose(of: message.submissionType)
        var content = reports
        // Somebody who checked in but didn't switch encounters on has reports only.
        if message.keys.isEmpty, !content.reports.isEmpty || !content.venueReports.isEmpty {
            return CheckedUpload(content: content, purpose: purpose)
        }
        guard let keys = try? keyRules.normalise(message.uploadedKeys) else { throw Problem.badRequest }
        content.keys = keys
        // Other countries get keys as those of confirmed tests, so a self-report stays here whatever its payload says. Published apps never
        // ask for consent then (cwa-app-ios, `SRSKeySubmissionResource`; cwa-app-android, `SrsSubmissionServer`).
        content.stream = message.consentToFederation && purpose == .diagnosisKeys ? .federated : .home
        content.left.keys = message.keys.count - keys.count
        return CheckedUpload(content: content, purpose: purpose)
    }

    /// Types from `SRS_SELF_TEST` on are self-reports, which no TAN authorises.
    private static func purpose(of type: SubmissionPayload.SubmissionType) -> UploadPurpose {
        switch type {
        case .pcrTest, .rapidTest, .hostWarning: .diagnosisKeys
        case .srsSelfTest, .srsRegisteredRat, .srsUnregisteredRat, .srsRegisteredPcr, .srsUnregisteredPcr,
            .srsRapidPcr, .srsOther:
            .selfReport
        }
    }

    /// Whether there is nothing of a person's upload in it.
    private func isWarning(_ message: SubmissionPayload) -> Bool {
        message.keys.isEmpty && message.visitedCountries.isEmpty && !message.consentToFederation
            && message.submissionType == .hostWarning
    }

    /// The content of an organiser's warning, which is about one venue and nothing else.
    private func onBehalf(_ message: SubmissionPayload) throws(Problem) -> CheckedUpload {
        let content = withReports(of: message)
        guard isWarning(message), Set(content.reports.map(\.locationIDHash)).count == 1,
            Set(message.checkIns.map(\.locationID)).count <= 1
        else { throw Problem.badRequest }
        return CheckedUpload(content: content, purpose: .onBehalf)
    }

    /// The content with its encrypted check-ins. Unencrypted visits are never stored, because they reveal the venue.
    private func withReports(of message: SubmissionPayload) -> UploadContent {
        let reports = Set(message.wellFormedReports).sorted().prefix(UploadContent.maximumReports)
        let sent = message.checkInProtectedReports.count + message.checkIns.count
        return UploadContent(reports: Array(reports), left: .init(reports: sent - reports.count))
    }

    /// Two capital letters. Country codes are checked but not used: where people went isn't stored.
    private static func isCountry(_ code: String) -> Bool {
        code.utf8.count == 2 && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}

/// An upload that follows the rules.
struct CheckedUpload: Sendable {
    let content: UploadContent
    /// What may authorise it.
    let purpose: UploadPurpose
}

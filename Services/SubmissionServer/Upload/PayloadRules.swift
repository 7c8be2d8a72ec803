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
    func content(of payload: Data, for purpose: UploadPurpose, limit: Int) throws(Problem) -> UploadContent {
        guard let message = try? SubmissionPayload(decoding: Array(payload), maximum: limit),
            message.origin.isEmpty || message.origin == origin
        else { throw Problem.badRequest }
        return switch purpose {
        case .diagnosisKeys: try ofPerson(message)
        case .onBehalf: try onBehalf(message)
        }
    }

    private func ofPerson(_ message: SubmissionPayload) throws(Problem) -> UploadContent {
        // The other types are self-reports, which no TAN authorises.
        let types: Set<SubmissionPayload.SubmissionType> = [.pcrTest, .rapidTest, .hostWarning]
        guard types.contains(message.submissionType), message.visitedCountries.allSatisfy(Self.isCountry) else {
            throw Problem.badRequest
        }
        var content = withReports(of: message)
        // Somebody who checked in but didn't switch encounters on has reports only.
        if message.keys.isEmpty, !content.reports.isEmpty { return content }
        guard let keys = try? keyRules.normalise(message.uploadedKeys) else { throw Problem.badRequest }
        content.keys = keys
        content.left.keys = message.keys.count - keys.count
        return content
    }

    /// The content of an organiser's warning, which is about one venue and nothing else.
    private func onBehalf(_ message: SubmissionPayload) throws(Problem) -> UploadContent {
        let content = withReports(of: message)
        guard message.keys.isEmpty, message.visitedCountries.isEmpty, !message.consentToFederation,
            message.submissionType == .hostWarning, Set(content.reports.map(\.locationIDHash)).count == 1,
            Set(message.checkIns.map(\.locationID)).count <= 1
        else { throw Problem.badRequest }
        return content
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

import Credentials
import ExposureKeys
import FoundationEssentials
import HTTPContract
import Logging
import Running
import Schema
import Serving
import SubmissionAPI
import VerificationAPI

/// `POST /version/v1/diagnosis-keys`, `…/submission-on-behalf` and `…/venue-reports`: reserve the TAN for this upload, store it
/// sealed, and confirm.
///
/// Each step may be repeated with the same outcome. After a crash or a lost answer the phone repeats its request and is
/// answered 200; what it sent first stays (``UploadTagKey``). Other keys for the same TAN are refused.
///
/// A self-report brings a one-time password in place of the TAN; all else is the same.
///
/// A dummy request, and an upload that is refused, takes the same steps with a TAN that was never issued: it is read and
/// checked, the verification server is asked as often, and it waits for the same commits. Only its row is left out, as is
/// that of a repeat.
struct AcceptUpload: Sendable {
    let form: UploadForm
    let route: Route
    let rules: PayloadRules
    let tagKey: UploadTagKey
    let tans: UploadTANs
    let inbox: Inbox
    let clock: WallClock
    let databaseClock: DatabaseClock
    let logger: Logger

    func handle(_ upload: UploadRequest, from caller: Caller) async throws -> UploadAccepted {
        let isSelfReport = upload.credential?.isPassword ?? false
        let checked = try? rules.check(
            upload.payload, sentAs: form, isSelfReport: isSelfReport, limit: route.bodyLimit)
        let content = checked?.content
        let purpose = checked?.purpose ?? (isSelfReport ? .selfReport : form.usualPurpose)
        let named = upload.credential?.tan
        // A malformed TAN is refused like an unknown one, a malformed password like a malformed payload (cwa-server, `isUuid`).
        let isReal = !upload.isFake && content != nil && upload.credential != nil && (named != nil || !isSelfReport)
        let tan = (isReal ? named : nil) ?? .neverIssued()
        let tags = tagKey.tags(of: content ?? UploadContent(), as: form, authorisedBy: tan)

        let reservation = try await tans.reserve(TANReservation(tan: tan, tag: tags.reservation, purpose: purpose))
        // A dummy self-report waits for the same as a real one.
        if reservation == .unanswered { throw Problem.unavailable }
        let isGranted = reservation != .refused
        // A confirmed upload may be folded already. Then the inbox doesn't know its tag any more, and its reports, which an
        // app encrypts anew, would count twice.
        try await inbox.take(
            try await current(content ?? UploadContent()), tag: tags.inbox, isKept: reservation == .granted)
        await confirm(TANConfirmation(tan: tan, tag: tags.reservation), isGranted: isGranted)

        if upload.isFake { return UploadAccepted() }
        guard isReal, let content else { throw Problem.badRequest }
        guard isGranted else { throw Problem.forbidden }
        return UploadAccepted(
            filteredCheckIns: content.left.reports, savedCheckIns: content.reports.count + content.venueReports.count)
    }

    /// The content to store.
    ///
    /// A key that seems to start in the future is dropped, unless this clock is wrong; then the phone has to retry.
    private func current(_ content: UploadContent) async throws -> UploadContent {
        let now = clock.now
        let present = IntervalNumber(containing: now)
        if content.keys.contains(where: { $0.rollingPeriod.start > present }) {
            try await databaseClock.requireAgreement()
        }
        return content.current(at: now)
    }

    /// Confirms the TAN of a stored upload.
    ///
    /// A failure changes nothing for the phone: its upload is stored, and the TAN stays reserved for this upload until it
    /// expires.
    private func confirm(_ confirmation: TANConfirmation, isGranted: Bool) async {
        do {
            try await tans.confirm(confirmation)
        } catch {
            if isGranted { logger.warning("a TAN stays reserved: its confirmation failed") }
        }
    }
}

extension UploadContent {
    /// The content without keys that are too old or in the future.
    ///
    /// The phone isn't told:
    /// <https://github.com/corona-warn-app/cwa-server/blob/main/services/submission/src/main/java/app/coronawarn/server/services/submission/controller/SubmissionController.java>.
    func current(at now: Date) -> UploadContent {
        var content = self
        content.keys = UploadRules().current(keys, at: now)
        content.left.keys += keys.count - content.keys.count
        return content
    }
}

extension UploadRequest.Credential {
    fileprivate var isPassword: Bool {
        switch self {
        case .tan: false
        case .password: true
        }
    }

    /// The TAN, or the password in the form that all its spellings share; nil if it is malformed.
    fileprivate var tan: TAN? {
        switch self {
        case .tan(let text): TAN(text)
        case .password(let text): TAN(text.lowercased())
        }
    }
}

extension TAN {
    /// A TAN that authorises nothing, because it was never issued.
    fileprivate static func neverIssued() -> TAN {
        var randomness = SystemRandomNumberGenerator()
        return TAN(RandomIdentifier(using: &randomness))
    }
}

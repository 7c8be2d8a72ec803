import Calling
package import Credentials
package import ExposureKeys
package import FoundationEssentials
import HTTPTypes
package import Venues
import VerificationAPI

/// Which keys a person has consented to upload, and which are uploaded.
///
/// The key of the day itself is still in use, so a positive test takes two uploads: past keys at once, and the day's own in the
/// background when the day has ended (cwa-documentation, `solution_architecture.md`, "two uploads are required"). The app may be
/// closed in between: it keeps this value as JSON. A pure value; ``AppClient/upload(_:of:reports:venueReports:at:keep:)`` does what is due.
package struct UploadPlan: Codable, Hashable, Sendable {
    /// What the app was given for the test. Each upload needs a TAN of its own.
    package let token: RegistrationToken
    /// An upload that was begun and whose answer is missing. It is repeated with the same TAN and the same keys.
    package private(set) var attempt: Attempt?

    /// As numbers of days since the epoch.
    private var firstDay: Int32
    private var lastDay: Int32
    /// The test authorises no further upload.
    private var isEnded = false

    /// An upload under way.
    package struct Attempt: Codable, Hashable, Sendable {
        /// Authorises this upload and no other.
        package let tan: TAN
        private let firstDay: Int32
        private let lastDay: Int32

        fileprivate init(tan: TAN, days: ClosedRange<Day>) {
            self.tan = tan
            firstDay = days.lowerBound.number
            lastDay = days.upperBound.number
        }

        /// Whose keys are uploaded.
        package var days: ClosedRange<Day> { Day(number: firstDay)...Day(number: max(firstDay, lastDay)) }
    }

    /// The person consents to the upload of past keys and of the present day's.
    package init(token: RegistrationToken, consentAt now: Date) {
        self.token = token
        let today = Day(containing: now)
        firstDay = today.advanced(by: -Phone.daysKept).number
        lastDay = today.number
    }

    /// The person consents once more on a later day: the keys up to that day's are uploaded, too, each when its day has ended. How
    /// many uploads a test authorises is the health authority's to say (`tan.perRegistration`).
    package mutating func consent(at now: Date) {
        lastDay = max(lastDay, Day(containing: now).number)
    }

    /// When the person last consented, and answered what the app asked: levels and days since onset follow from this day, whenever the
    /// keys are uploaded.
    package var answeredOn: Day { Day(number: lastDay) }

    /// Whether all that the person has consented to is uploaded, or may not be uploaded.
    package var isComplete: Bool { isEnded || attempt == nil && firstDay > lastDay }

    /// The days whose keys can be uploaded now; nil if there are none.
    package func due(at now: Date) -> ClosedRange<Day>? {
        if isEnded { return nil }
        let today = Day(containing: now)
        let first = max(Day(number: firstDay), today.advanced(by: -Phone.daysKept))
        let last = min(Day(number: lastDay), today.advanced(by: -1))
        return first <= last ? first...last : nil
    }

    /// When the app has to run again, at the earliest; nil if there is nothing left to do.
    package func wake(after now: Date) -> Date? {
        if isComplete { return nil }
        if attempt != nil || due(at: now) != nil { return now }
        return Day(containing: now).lastHour.end
    }

    // MARK: An upload

    /// An upload of what is due begins. The app keeps the plan before it sends anything.
    mutating func begin(_ days: ClosedRange<Day>, with tan: TAN) {
        attempt = Attempt(tan: tan, days: days)
    }

    /// The upload under way is stored.
    mutating func finish() {
        guard let attempt else { return }
        firstDay = attempt.days.upperBound.number + 1
        self.attempt = nil
    }

    /// The TAN of the upload under way is no good any more; another is asked for.
    mutating func dropTAN() { attempt = nil }

    /// The test authorises no further upload.
    mutating func end() {
        attempt = nil
        isEnded = true
    }
}

extension AppClient {
    /// Uploads what a plan says is due. An app calls it whenever the system lets it run, in the foreground or in the background.
    ///
    /// Whatever is interrupted, and wherever, the next call goes on: a TAN is asked for again, and an upload whose answer was lost is
    /// repeated as the same upload.
    /// - Parameters:
    ///   - reports: of Corona-Warn-App's venues, for this upload. They may be encrypted anew in a repeat.
    ///   - venueReports: in Apple's form, in the same upload; nil in an app without the feature. A TAN is for one upload, which has visits
    ///     of both kinds.
    ///   - keep: stores the plan where it survives the end of the app.
    /// - Returns: whether something was uploaded.
    /// - Throws: `CallError` if no answer came: try again later.
    @discardableResult
    package func upload(
        _ plan: inout UploadPlan, of phone: Phone, reports: [CheckInReport] = [], venueReports: [VenueReport]? = nil,
        at now: Date, keep: (UploadPlan) throws -> Void
    ) async throws -> Bool {
        if plan.attempt == nil {
            guard let days = plan.due(at: now) else { return false }
            do {
                plan.begin(days, with: try await tan(plan.token))
            } catch CallError.refused(.badRequest) {
                plan.end()
            }
            try keep(plan)
        }
        guard let attempt = plan.attempt else { return false }
        var isUploaded = false
        do {
            let keys = phone.diagnosisKeys(of: attempt.days, answeredOn: plan.answeredOn)
            if let venueReports {
                try await upload(keys, venueReports: venueReports, reports: reports, tan: attempt.tan)
            } else {
                try await upload(keys, reports: reports, tan: attempt.tan)
            }
            plan.finish()
            isUploaded = true
        } catch CallError.refused(.forbidden) {
            plan.dropTAN()
        }
        try keep(plan)
        return isUploaded
    }
}

import Credentials
import ExposureKeys
import Foundation
import Phone
import StrictJSON
import Venues

/// A phone whose owner shares keys, with its app. The app is closed after each upload: when the system starts it again, it knows what it
/// has kept and nothing else.
struct Sharer: Sendable {
    private(set) var phone: Phone
    /// The app's ``UploadPlan`` as JSON.
    private var kept: Data

    /// The owner consents to the upload of past keys and of the present day's.
    init(_ phone: Phone, _ token: RegistrationToken, consentAt now: Date) throws {
        self.phone = phone
        kept = try JSONEncoder().encode(UploadPlan(token: token, consentAt: now))
    }

    /// Whether everything is uploaded.
    var isDone: Bool {
        get throws { try StrictJSON.decode(UploadPlan.self, from: kept).isComplete }
    }

    /// The system starts the app, which uploads what is due.
    /// - Returns: the upload's TAN; nil if nothing was uploaded.
    mutating func run(at now: Date, reports: [CheckInReport] = [], on stage: StoryStage) async throws -> TAN? {
        phone.live(until: now)
        var plan = try StrictJSON.decode(UploadPlan.self, from: kept)
        var tan: TAN?
        var latest = kept
        defer { kept = latest }
        let isUploaded = try await stage.apps.upload(&plan, of: phone, reports: reports, at: now) { plan in
            latest = try JSONEncoder().encode(plan)
            if let attempt = plan.attempt { tan = attempt.tan }
        }
        return isUploaded ? tan : nil
    }
}

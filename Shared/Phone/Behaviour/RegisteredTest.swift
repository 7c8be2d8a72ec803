package import Credentials
import ExposureKeys
package import FoundationEssentials
import VerificationAPI

/// A test that the user registered, or is about to: from the scan of its code to the last upload.
///
/// The intervals are those of cwa-app-android (`PCRResultScheduler.kt`, `RAResultScheduler.kt`, `SubmissionTask.kt`).
package struct RegisteredTest: Codable, Hashable, Sendable, Identifiable {
    /// Its number in the app.
    package let id: UInt16
    /// When its code was scanned.
    package let scannedAt: Date
    /// The last result; nil before the first answer.
    package private(set) var result: TestResultCode?
    /// Whether the server doesn't know its code, or doesn't know it any more.
    package private(set) var isRefused = false
    /// What the user has consented to upload.
    package private(set) var plan: UploadPlan?

    private let pending: TestResultCode
    private var code: Code?
    private var token: RegistrationToken?
    private var consent: KeptConsent?
    private var consentedAt: Date?
    /// When the app asks for the result or registers the test, at the earliest; nil for not at all.
    private(set) var nextQuestion: Date?
    /// When it uploads, at the earliest.
    private(set) var nextUpload: Date?
    private var backOff = BackOff()

    /// Seconds to the first question for a result, if it doesn't follow the registration as it should.
    private static let firstQuestion: TimeInterval = 10
    /// Seconds between questions: for PCR tests, for rapid ones at first, and for these later.
    private static let questions: (pcr: TimeInterval, early: TimeInterval, late: TimeInterval) = (7200, 900, 5400)
    /// Seconds after the scan in which the result of a rapid test is likely.
    private static let early: TimeInterval = 5400
    /// Seconds to the first repeat of a registration, and the longest pause between two.
    private static let registrationPauses: (first: TimeInterval, longest: TimeInterval) = (60, 3600)
    /// Seconds without the user after which keys are uploaded, and between two attempts.
    private static let uploads: (rest: TimeInterval, pause: TimeInterval) = (1800, 900)
    /// Days after the scan, or after the last consent, for which the app keeps a test. Later no key could be uploaded any more.
    package static let daysKept = 14

    /// A code that was scanned, with the key that every attempt to register it has.
    init(
        id: UInt16, proof: RegistrationTokenRequest.Proof, family: TestFamily, attempt: IdempotencyKey, at now: Date
    ) {
        self.id = id
        scannedAt = now
        pending = family.pending
        code = Code(proof, attempt)
        nextQuestion = now
    }

    /// The kind of test.
    package var family: TestFamily { pending.family }

    /// Whether a result is awaited.
    package var isPending: Bool { token != nil && !isRefused && (result == nil || result?.isPending == true) }

    /// Whether the app has forgotten it.
    func isForgotten(at now: Date) -> Bool {
        now.timeIntervalSince(consentedAt ?? scannedAt) > Double(Self.daysKept) * 86_400
    }

    // MARK: Registration and result

    /// What registers it; nil if it is registered.
    var registration: (proof: RegistrationTokenRequest.Proof, attempt: IdempotencyKey)? { code?.request }

    /// What the result is asked for with; nil if none is awaited.
    var awaiting: RegistrationToken? { isPending ? token : nil }

    /// The registration has succeeded. A teleTAN is for people who know their result.
    mutating func register(_ token: RegistrationToken, at now: Date) {
        self.token = token
        backOff.reset()
        if code?.isTeleTAN == true { result = .pcrPositive }
        code = nil
        nextQuestion = isPending ? now + Self.firstQuestion : nil
    }

    /// The server refused the registration or the question.
    mutating func refuse() {
        code = nil
        isRefused = true
        nextQuestion = nil
    }

    /// The registration has failed: it is repeated as the same attempt.
    mutating func registerAgain(after now: Date, using random: inout some RandomNumberGenerator) {
        let pauses = Self.registrationPauses
        nextQuestion = now + backOff.pause(first: pauses.first, longest: pauses.longest, using: &random)
    }

    /// A question was asked: the next one comes after the interval, whatever the answer.
    mutating func ask(at now: Date) {
        let isEarly = now.timeIntervalSince(scannedAt) < Self.early
        let pause = family != .quick ? Self.questions.pcr : isEarly ? Self.questions.early : Self.questions.late
        nextQuestion = now + pause
    }

    /// The result has come.
    mutating func take(_ result: TestResultCode) {
        self.result = result
        if !result.isPending { nextQuestion = nil }
    }

    // MARK: Upload

    /// What the user agreed to say.
    var agreed: App.Consent { consent?.value ?? App.Consent() }

    /// The user consents. Nothing happens unless the result is positive.
    mutating func agree(_ consent: App.Consent, at now: Date, using random: inout some RandomNumberGenerator) {
        guard let token, result?.isPositive == true else { return }
        if plan == nil { plan = UploadPlan(token: token, consentAt: now) } else { plan?.consent(at: now) }
        self.consent = KeptConsent(consent)
        consentedAt = now
        postpone(from: now, using: &random)
    }

    /// The user declines, or takes the consent back: what isn't uploaded stays on the phone.
    mutating func decline() {
        plan = nil
        consent = nil
        nextUpload = nil
    }

    /// The user is active: an upload waits until the app was left alone for half an hour. The moment after that is random, as if it were
    /// looked for each 15 minutes.
    mutating func postpone(from now: Date, using random: inout some RandomNumberGenerator) {
        guard plan?.isComplete == false else { return nextUpload = nil }
        let earliest = now + Self.uploads.rest + .random(in: 0..<Self.uploads.pause, using: &random)
        nextUpload = max(earliest, nextUpload ?? earliest)
    }

    /// Changes what is planned, during an attempt.
    mutating func change(_ body: (inout UploadPlan) -> Void) {
        guard var plan else { return }
        body(&plan)
        self.plan = plan
    }

    /// An attempt has ended: decides when the next one comes.
    mutating func attempted(at now: Date, using random: inout some RandomNumberGenerator) {
        guard let wake = plan?.wake(after: now) else { return nextUpload = nil }
        // The day's own key can be uploaded from midnight on, but not by all phones at midnight.
        nextUpload =
            wake > now
            ? wake + .random(in: 0..<3600, using: &random)
            : now + Self.uploads.pause * .random(in: 0.75...1.25, using: &random)
    }

    /// The visits were shared, so a second upload is without them.
    mutating func forgetCheckIns() {
        guard consent != nil else { return }
        consent = KeptConsent(App.Consent(onset: agreed.onset))
    }
}

extension TestResultCode {
    /// Whether the result isn't there yet.
    var isPending: Bool { self == family.pending }
}

/// What registers a test, in a form that can be kept.
private struct Code: Codable, Hashable, Sendable {
    private var guid: HashedGUID?
    private var birthDate: String?
    private var teleTAN: TeleTAN?
    private let attempt: String

    init(_ proof: RegistrationTokenRequest.Proof, _ attempt: IdempotencyKey) {
        self.attempt = attempt.text
        switch proof {
        case .guid(let guid, let birthDate): (self.guid, self.birthDate) = (guid, birthDate?.text)
        case .teleTAN(let teleTAN): self.teleTAN = teleTAN
        }
    }

    var isTeleTAN: Bool { teleTAN != nil }

    var request: (proof: RegistrationTokenRequest.Proof, attempt: IdempotencyKey)? {
        guard let key = IdempotencyKey(attempt) else { return nil }
        if let teleTAN { return (.teleTAN(teleTAN), key) }
        return guid.map { (.guid($0, birthDate: birthDate.flatMap { ResultID($0) }), key) }
    }
}

/// A consent in a form that can be kept.
private struct KeptConsent: Codable, Hashable, Sendable {
    private let answer: Answer
    private let checkIns: Set<UInt32>

    private enum Answer: Codable, Hashable {
        case unsaid, none, unknownDay, lastWeek, weekBefore, earlier
        case day(Int32)
    }

    init(_ consent: App.Consent) {
        checkIns = consent.checkIns
        answer =
            switch consent.onset {
            case .unsaid: .unsaid
            case .none: .none
            case .unknownDay: .unknownDay
            case .day(let day): .day(day.number)
            case .lastWeek: .lastWeek
            case .weekBefore: .weekBefore
            case .earlier: .earlier
            }
    }

    var value: App.Consent {
        let onset: OnsetOfSymptoms =
            switch answer {
            case .unsaid: .unsaid
            case .none: .none
            case .unknownDay: .unknownDay
            case .day(let number): .day(Day(number: number))
            case .lastWeek: .lastWeek
            case .weekBefore: .weekBefore
            case .earlier: .earlier
            }
        return App.Consent(onset: onset, checkIns: checkIns)
    }
}

import Credentials
package import ExposureFormat
package import FoundationEssentials

/// One installed app: a state that turns an event, an instant and randomness into a new state and requests.
///
/// It knows neither network nor clock. Whoever runs it sends ``Event/woken`` when ``nextWake(after:)`` says so, carries out the requests
/// and reports their answers. There are at most three open requests: one for a download or a comparison, one to the proxy, and one of the
/// push registration. One that isn't answered within ``patience`` counts as failed.
///
/// What it keeps in JSON survives the end of the process. What was under way doesn't; see ``Event/restarted``.
package struct App: Sendable {
    /// What doesn't change while an app is installed.
    package struct Setup: Codable, Hashable, Sendable {
        /// The phone.
        package let device: DeviceClass
        /// When dummy requests are sent.
        package let dummies: DummyTraffic

        /// Describes an installation.
        package init(device: DeviceClass, dummies: DummyTraffic = .vigil) {
            self.device = device
            self.dummies = dummies
        }
    }

    /// The installation.
    package let setup: Setup
    /// The phone's own moment of the hour, in seconds: phones that all asked at the full hour would be a flood.
    package let phase: Int32
    /// From the last configuration.
    package internal(set) var rules = AppRules.shipped
    /// The phone's clock minus the server's when the app last asked for the configuration, in seconds.
    package internal(set) var clockOffset: TimeInterval = 0
    /// The packages of keys.
    package internal(set) var downloads = Downloads()
    /// The tests of the last 14 days.
    package internal(set) var tests: [RegisteredTest] = []
    /// The visits.
    package internal(set) var diary = CheckInDiary()
    /// The registration for pushes, which also knows what the user has switched on.
    package internal(set) var push = PushRegistrationState(areEncountersOn: true)

    /// The configuration's entity tag, and until when it is valid.
    var configurationTag: String?
    var configurationEnd: Date
    /// When the system lets the app run next.
    var nextRun: Date
    /// When a run that failed is repeated, at the earliest.
    var retry: Date?
    var backOff = BackOff()
    /// Whether the last run has left something undone.
    var isBehind = true
    /// When a push lets the app run, and when the push registration wants to be woken.
    var pushRun: Date?
    var pushWake: Date?
    /// When a dummy flow comes, how often it is repeated then, and when a test was scanned last.
    var nextDummy: Date?
    var repetitions = 0
    var lastTest: Date?
    /// Until when background work may begin although the system would otherwise make it wait.
    var awakeUntil: Date
    var nextTest: UInt16 = 0
    var nextNumber: UInt32 = 0

    /// What is under way, and what this step has asked for.
    var run: Run?
    var flow: Flow?
    var open: [OpenRequest] = []
    var requests: [Request] = []

    /// A request without answer.
    struct OpenRequest: Hashable, Sendable {
        let request: Request
        let sent: Date
    }

    /// Seconds after which a request without answer counts as failed.
    package static let patience: TimeInterval = 90

    /// An app that is installed, and runs for the first time a minute later.
    /// - Parameter phase: the moment of the hour, 0..<3600; drawn if it isn't given.
    package init(
        _ setup: Setup, installedAt now: Date, phase: Int32? = nil, using random: inout some RandomNumberGenerator
    ) {
        self.setup = setup
        self.phase = phase ?? .random(in: 0..<3600, using: &random)
        configurationEnd = now
        awakeUntil = now
        nextRun = now + 60
        nextDummy = setup.dummies.next(after: now, lastTest: nil, using: &random)
    }

    // MARK: Events

    /// Processes an event.
    /// - Returns: what is wanted now, in this order.
    package mutating func handle(
        _ event: Event, at now: Date, using random: inout some RandomNumberGenerator
    ) -> [Request] {
        giveUp(at: now, using: &random)
        if event.isOfUser { postponeUploads(from: now, using: &random) }
        switch event {
        case .woken: break
        case .opened: opened(at: now, using: &random)
        case .restarted: restarted(at: now, using: &random)
        case .scanned(let proof, let family):
            lastTest = now
            tests.append(
                RegisteredTest(
                    id: nextTest, proof: proof, family: family, attempt: IdempotencyKey(using: &random), at: now))
            nextTest += 1
            awakeUntil = max(awakeUntil, now + Self.foreground)
            planDummy(after: now, using: &random)
        case .consented(let test, let consent):
            change(test) { $0.agree(consent, at: now, using: &random) }
        case .declined(let test): change(test) { $0.decline() }
        case .checkedIn(let code, let minutes): diary.checkIn(code, at: now, minutes: minutes)
        case .checkedOut(let visit): diary.checkOut(visit, at: now)
        case .checkInDeleted(let visit): diary.delete(visit)
        case .push(let event): tell(event, at: now, using: &random)
        case .answered(let request, let answer):
            guard let place = open.firstIndex(where: { $0.request.number == request.number }) else { break }
            let request = open.remove(at: place).request
            receive(answer, to: request, at: now, using: &random)
        }
        proceed(at: now, using: &random)
        defer { requests.removeAll() }
        return requests
    }

    /// When the app wants ``Event/woken`` next, not before `now`.
    package func nextWake(after now: Date) -> Date {
        var wakes = [nextRun, pushRun, pushWake].compactMap(\.self) + open.map { $0.sent + Self.patience }
        if let flow {
            if !open.contains(where: \.request.kind.isOfFlow) { wakes.append(flow.due) }
        } else {
            wakes += waiting.map { max($0, now) }.filter(mayWork)
        }
        if run == nil, let retry = retry.map({ max($0, now) }), mayWork(at: retry) { wakes.append(retry) }
        return max(now, wakes.min() ?? nextRun)
    }

    /// Instants of background work to the proxy.
    private var waiting: [Date] {
        tests.flatMap { [$0.nextQuestion, $0.nextUpload].compactMap(\.self) } + [nextDummy].compactMap(\.self)
    }

    /// Whether background work may begin.
    func mayWork(at instant: Date) -> Bool { instant <= awakeUntil || setup.device.worksFreely(at: instant) }

    // MARK: Requests

    /// Asks for something.
    mutating func ask(_ kind: Request.Kind, at now: Date) {
        nextNumber += 1
        let request = Request(number: nextNumber, kind: kind)
        requests.append(request)
        if kind.hasAnswer { open.append(OpenRequest(request: request, sent: now)) }
    }

    /// Changes a test that is there.
    mutating func change(_ test: UInt16, _ body: (inout RegisteredTest) -> Void) {
        guard let place = tests.firstIndex(where: { $0.id == test }) else { return }
        body(&tests[place])
    }
}

extension App: Codable {
    /// What is under way isn't kept.
    private enum CodingKeys: String, CodingKey {
        case setup, phase, rules, clockOffset, downloads, tests, diary, push, configurationTag, configurationEnd
        case nextRun, retry, backOff, isBehind, pushRun, pushWake, nextDummy, repetitions, lastTest, awakeUntil
        case nextTest, nextNumber
    }
}

extension App.Request.Kind {
    /// Whether it is one of the three requests of a flow.
    var isOfFlow: Bool {
        switch self {
        case .register, .result, .tan, .upload, .pretend: true
        case .configuration, .dayIndex, .hourIndex, .package, .warningIndex, .warnings, .detect, .show,
            .askForPushToken, .registerForPush, .cancelPush:
            false
        }
    }

    fileprivate var hasAnswer: Bool {
        switch self {
        case .show, .askForPushToken, .cancelPush: false
        case .register, .result, .tan, .upload, .pretend, .configuration, .dayIndex, .hourIndex, .package,
            .warningIndex, .warnings, .detect, .registerForPush:
            true
        }
    }

    /// The push registration's request in it.
    var pushRequest: PushRegistrationState.Request? {
        if case .registerForPush(let request) = self { request } else { nil }
    }
}

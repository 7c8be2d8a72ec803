import FoundationEssentials

extension App {
    /// Seconds for which an app that was opened may begin background work.
    static let foreground: TimeInterval = 60
    /// Seconds that iOS gives an app after a push, and within which of them the app begins.
    private static let push: (limit: TimeInterval, spread: TimeInterval) = (30, 10)

    // MARK: The user and the system

    /// The user opens the app.
    mutating func opened(at now: Date, using random: inout some RandomNumberGenerator) {
        awakeUntil = max(awakeUntil, now + Self.foreground)
        if Double.random(in: 0..<1, using: &random) < setup.dummies.startProbability { nextDummy = now }
        tell(.started, at: now, using: &random)
        if run == nil { begin(limit: Run.limit, at: now) }
    }

    /// The user is active: uploads wait.
    mutating func postponeUploads(from now: Date, using random: inout some RandomNumberGenerator) {
        for place in tests.indices where tests[place].nextUpload != nil {
            tests[place].postpone(from: now, using: &random)
        }
    }

    /// What was under way is over.
    mutating func restarted(at now: Date, using random: inout some RandomNumberGenerator) {
        let lost = open.compactMap { $0.request.kind.pushRequest } + [push.request].compactMap(\.self)
        open = []
        flow = nil
        if run != nil { end(isComplete: false, at: now, using: &random) }
        // A request of the push registration is open as long as the registration knows it, whatever this app knows.
        for request in Set(lost) { tell(.ended(request, isSuccess: false), at: now, using: &random) }
        if isBehind, retry == nil { retry = now + Run.firstPause * .random(in: 0.5...1, using: &random) }
        if nextDummy == nil { planDummy(after: now, using: &random) }
    }

    /// Runs and flows begin and go on.
    mutating func proceed(at now: Date, using random: inout some RandomNumberGenerator) {
        if let pushWake, pushWake <= now {
            self.pushWake = nil
            tell(.woken, at: now, using: &random)
        }
        if now >= nextRun {
            nextRun = setup.device.nextRun(after: now, phase: phase, using: &random)
            backOff.reset()
            if run == nil { begin(limit: Run.limit, at: now) }
            awakeUntil = max(awakeUntil, now + Self.foreground)
        }
        if let pushRun, pushRun <= now {
            self.pushRun = nil
            if run == nil { begin(limit: Self.push.limit - Self.push.spread, at: now) }
            awakeUntil = max(awakeUntil, now + Self.push.limit - Self.push.spread)
        }
        if run == nil, let retry, retry <= now, mayWork(at: now) { begin(limit: Run.limit, at: now) }
        registerVisits(at: now, using: &random)
        continueRun(at: now, using: &random)
        continueFlow(at: now, using: &random)
    }

    /// What has waited too long counts as failed.
    mutating func giveUp(at now: Date, using random: inout some RandomNumberGenerator) {
        while let place = open.firstIndex(where: { now >= $0.sent + Self.patience }) {
            let request = open.remove(at: place).request
            receive(.failed, to: request, at: now, using: &random)
        }
    }

    /// An answer goes to whom the request came from.
    mutating func receive(
        _ answer: Answer, to request: Request, at now: Date, using random: inout some RandomNumberGenerator
    ) {
        if let ended = request.kind.pushRequest {
            if case .done = answer { return tell(.ended(ended, isSuccess: true), at: now, using: &random) }
            tell(.ended(ended, isSuccess: false), at: now, using: &random)
        } else if request.kind.isOfFlow {
            receiveFlow(answer, to: request.kind, at: now, using: &random)
        } else {
            receiveRun(answer, to: request.kind, at: now)
        }
    }

    // MARK: Push

    /// The registration hears of visits that have ended, and of the last one's deletion.
    private mutating func registerVisits(at now: Date, using random: inout some RandomNumberGenerator) {
        let hasEntries = diary.checkIns.contains(where: \.isCheckedOut)
        guard hasEntries != push.hasCheckIns else { return }
        tell(hasEntries ? .checkedOut : .checkInsGone, at: now, using: &random)
    }

    /// The push registration hears of an event.
    mutating func tell(
        _ event: PushRegistrationState.Event, at now: Date, using random: inout some RandomNumberGenerator
    ) {
        for action in push.handle(event, at: now) {
            switch action {
            // Android's phones need no push: their work is periodic.
            case .askForToken: if setup.device.system == .ios { ask(.askForPushToken, at: now) }
            case .send(let request): ask(.registerForPush(request), at: now)
            case .cancel(let request):
                open.removeAll { $0.request.kind.pushRequest == request }
                ask(.cancelPush(request), at: now)
                tell(.ended(request, isSuccess: false), at: now, using: &random)
            case .wake(let instant): pushWake = max(instant, now)
            case .synchronise: pushRun = now + .random(in: 0..<Self.push.spread, using: &random)
            case .deleteCheckIns: diary.deleteAll()
            }
        }
    }
}

import DequeModule
import FoundationEssentials
import Loop

/// The state of up to a thousand pushes: waiting, sent, in backoff, or settled.
///
/// It is independent of connections, so that none is lost with one.
struct PushWindow {
    private let pushes: [SilentPush]
    private let backoff: Backoff
    /// When the pushes expire.
    let expiry: Moment
    private var outcomes: [PushOutcome?]
    private var open: Int
    private var queues: [Deque<Int>]
    private var pausing: [Pause] = []
    private var attempts: [Int: [RetryCause: Int]] = [:]
    /// Refusals by environment, because a refusal holds for only one of Apple's two services.
    private var refusals: [APNsEnvironment: PushOutcome] = [:]

    private struct Pause {
        let push: Int
        let end: Moment
    }

    init(_ pushes: [SilentPush], backoff: Backoff, expiry: Moment) {
        self.pushes = pushes
        self.backoff = backoff
        self.expiry = expiry
        outcomes = Array(repeating: nil, count: pushes.count)
        open = pushes.count
        queues = PushLane.allCases.map { _ in [] }
        for (number, push) in pushes.enumerated() { queues[push.lane.index].append(number) }
    }

    // MARK: Sending

    /// The outcomes; nil while a push is open.
    var result: [PushOutcome]? {
        open == 0 ? outcomes.compactMap { $0 } : nil
    }

    /// How many pushes could be sent now.
    func waiting(in lane: PushLane) -> Int { queues[lane.index].count }

    /// The next push; it counts as sent from now on.
    mutating func next(in lane: PushLane) -> (number: Int, push: SilentPush)? {
        queues[lane.index].popFirst().map { ($0, pushes[$0]) }
    }

    /// When the first backoff ends.
    var nextMoment: Moment? { pausing.map(\.end).min() }

    /// Queues pushes whose backoff is over. After the expiry, unsent pushes are given up.
    mutating func release(at now: Moment) {
        guard now < expiry else {
            for lane in PushLane.allCases { end(lane, .givenUp) }
            return
        }
        guard !pausing.isEmpty else { return }
        for pause in pausing where pause.end <= now { enqueue(pause.push) }
        pausing.removeAll { $0.end <= now }
    }

    // MARK: Results

    /// The push could not be sent after all.
    mutating func putBack(_ push: Int) {
        queues[pushes[push].lane.index].prepend(push)
    }

    mutating func settle(_ push: Int, _ outcome: PushOutcome) {
        guard outcomes[push] == nil else { return }
        outcomes[push] = outcome
        open -= 1
        if case .refused = outcome { refuse(outcome, in: pushes[push].environment) }
    }

    /// Retries a push, within the limits.
    ///
    /// - Parameter retryAfter: seconds that APNs asked for.
    mutating func again(
        _ push: Int, _ cause: RetryCause, retryAfter: Int? = nil, at now: Moment,
        using random: inout any RandomNumberGenerator
    ) {
        guard outcomes[push] == nil else { return }
        if let refusal = refusals[pushes[push].environment] { return settle(push, refusal) }
        let attempt = attempts[push, default: [:]][cause, default: 0] + 1
        guard attempt <= cause.limit else { return settle(push, cause.end) }
        attempts[push, default: [:]][cause] = attempt
        var pause = cause.pauses(before: attempt) ? backoff.pause(before: attempt, using: &random) : .zero
        if let retryAfter { pause = max(pause, min(backoff.cap, .seconds(retryAfter))) }
        guard now + pause < expiry else { return settle(push, .givenUp) }
        if pause > .zero {
            pausing.append(Pause(push: push, end: now + pause))
        } else {
            enqueue(push)
        }
    }

    // MARK: Giving up

    /// APNs can't be reached: waiting pushes are given up.
    mutating func giveUp(_ lane: PushLane) {
        end(lane, .unreachable)
    }

    /// Gives up all pushes, including sent ones, because the caller has been cancelled.
    mutating func giveUp() {
        for push in pushes.indices { settle(push, .givenUp) }
        queues = PushLane.allCases.map { _ in [] }
        pausing = []
    }

    /// Sends nothing more to the service that refuses.
    private mutating func refuse(_ outcome: PushOutcome, in environment: APNsEnvironment) {
        guard refusals[environment] == nil else { return }
        refusals[environment] = outcome
        for lane in PushLane.allCases where lane.environment == environment { end(lane, outcome) }
    }

    /// Settles all pushes that aren't sent.
    private mutating func end(_ lane: PushLane, _ outcome: PushOutcome) {
        while let push = queues[lane.index].popFirst() { settle(push, outcome) }
        let paused = pausing.filter { pushes[$0.push].lane == lane }
        pausing = pausing.filter { pushes[$0.push].lane != lane }
        for pause in paused { settle(pause.push, outcome) }
    }

    private mutating func enqueue(_ push: Int) {
        queues[pushes[push].lane.index].append(push)
    }
}

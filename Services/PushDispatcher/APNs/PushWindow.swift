import DequeModule
import FoundationEssentials
import NIOCore

/// At most a thousand pushes on their way, wherever each of them is: waiting, under way, pausing, or done.
///
/// It knows no connection, so that one that ends takes nothing with it.
struct PushWindow {
    private let pushes: [SilentPush]
    private let backoff: Backoff
    /// When the pushes lose their sense.
    let expiry: NIODeadline
    private var outcomes: [PushOutcome?]
    private var open: Int
    private var queues: [Deque<Int>]
    private var pausing: [Pause] = []
    private var attempts: [Int: [RetryCause: Int]] = [:]
    /// Each of Apple's two services speaks for itself.
    private var refusals: [APNsEnvironment: PushOutcome] = [:]

    private struct Pause {
        let push: Int
        let end: NIODeadline
    }

    init(_ pushes: [SilentPush], backoff: Backoff, expiry: NIODeadline) {
        self.pushes = pushes
        self.backoff = backoff
        self.expiry = expiry
        outcomes = Array(repeating: nil, count: pushes.count)
        open = pushes.count
        queues = PushLane.allCases.map { _ in [] }
        for (number, push) in pushes.enumerated() { queues[push.lane.index].append(number) }
    }

    // MARK: What there is to do

    /// What became of each; nil as long as one of them is open.
    var result: [PushOutcome]? {
        open == 0 ? outcomes.compactMap { $0 } : nil
    }

    /// How many could be sent now.
    func waiting(in lane: PushLane) -> Int { queues[lane.index].count }

    /// The next to be sent, which is under way from now on.
    mutating func next(in lane: PushLane) -> (number: Int, push: SilentPush)? {
        queues[lane.index].popFirst().map { ($0, pushes[$0]) }
    }

    /// When the first pause ends.
    var nextMoment: NIODeadline? { pausing.map(\.end).min() }

    /// Ends the pauses that are over; when the pushes have lost their sense, what wasn't sent is given up.
    mutating func release(at now: NIODeadline) {
        guard now < expiry else {
            for lane in PushLane.allCases { end(lane, .givenUp) }
            return
        }
        guard !pausing.isEmpty else { return }
        for pause in pausing where pause.end <= now { enqueue(pause.push) }
        pausing.removeAll { $0.end <= now }
    }

    // MARK: What became of one that was under way

    /// It could not be sent after all.
    mutating func putBack(_ push: Int) {
        queues[pushes[push].lane.index].prepend(push)
    }

    mutating func settle(_ push: Int, _ outcome: PushOutcome) {
        guard outcomes[push] == nil else { return }
        outcomes[push] = outcome
        open -= 1
        if case .refused = outcome { refuse(outcome, in: pushes[push].environment) }
    }

    /// It is to be sent again, if it may be.
    ///
    /// - Parameter retryAfter: what the service asked for, in seconds.
    mutating func again(
        _ push: Int, _ cause: RetryCause, retryAfter: Int? = nil, at now: NIODeadline,
        using random: inout any RandomNumberGenerator
    ) {
        guard outcomes[push] == nil else { return }
        if let refusal = refusals[pushes[push].environment] { return settle(push, refusal) }
        let attempt = attempts[push, default: [:]][cause, default: 0] + 1
        guard attempt <= cause.most else { return settle(push, cause.end) }
        attempts[push, default: [:]][cause] = attempt
        var pause = cause.pauses(before: attempt) ? backoff.pause(before: attempt, using: &random) : .zero
        if let retryAfter { pause = max(pause, min(backoff.cap, .seconds(Int64(clamping: retryAfter)))) }
        guard now + pause < expiry else { return settle(push, .givenUp) }
        if pause > .zero {
            pausing.append(Pause(push: push, end: now + pause))
        } else {
            enqueue(push)
        }
    }

    // MARK: The end of many

    /// Apple's service can't be reached: what waits for it is given up.
    mutating func giveUp(_ lane: PushLane) {
        end(lane, .unreachable)
    }

    /// Nobody waits any more: everything is given up, that under way too.
    mutating func giveUp() {
        for push in pushes.indices { settle(push, .givenUp) }
        queues = PushLane.allCases.map { _ in [] }
        pausing = []
    }

    /// Nothing more is sent to the service that refuses.
    private mutating func refuse(_ outcome: PushOutcome, in environment: APNsEnvironment) {
        guard refusals[environment] == nil else { return }
        refusals[environment] = outcome
        for lane in PushLane.allCases where lane.environment == environment { end(lane, outcome) }
    }

    /// What isn't under way is over.
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

import NIOCore

/// How many pushes may leave: a bucket that fills at a rate, which falls when Apple's service has too much to do.
///
/// The rate is halved by a 503, once a second at most, because all that were under way get one. Each thousand successes
/// give a tenth of the full rate back.
struct SendRate: Sendable {
    private let full: Double
    private(set) var perSecond: Double
    private var tokens: Double
    private var filled: NIODeadline
    private var halved: NIODeadline?
    private var successes = 0

    /// What may leave at one moment, as a part of a second.
    private static let burst = 0.1
    /// What is left of the full rate after many 503s.
    private static let floor = 0.001

    init(perSecond: Int, now: NIODeadline) {
        full = Double(perSecond)
        self.perSecond = full
        filled = now
        tokens = max(1, full * Self.burst)
    }

    /// How many may leave now.
    mutating func available(at now: NIODeadline) -> Int {
        if now > filled {
            let seconds = Double((now - filled).nanoseconds) / 1e9
            tokens = min(max(1, perSecond * Self.burst), tokens + seconds * perSecond)
            filled = now
        }
        return Int(tokens)
    }

    /// So many have left.
    mutating func take(_ count: Int) {
        tokens -= Double(count)
    }

    /// When the next may leave, if none may now.
    func nextMoment(after now: NIODeadline) -> NIODeadline {
        let seconds = max(0.001, (1 - tokens) / perSecond)
        return now + .nanoseconds(Int64(seconds * 1e9))
    }

    /// There was a 503.
    mutating func overloaded(at now: NIODeadline) {
        if let halved, now < halved + .seconds(1) { return }
        halved = now
        successes = 0
        perSecond = max(full * Self.floor, 1, perSecond / 2)
        tokens = min(tokens, max(1, perSecond * Self.burst))
    }

    /// A push was accepted.
    mutating func accepted() {
        guard perSecond < full else { return }
        successes += 1
        guard successes == 1000 else { return }
        successes = 0
        perSecond = min(full, perSecond + full / 10)
    }
}

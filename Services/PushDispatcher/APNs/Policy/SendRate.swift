import Loop

/// A token bucket for pushes. Its rate is lowered when APNs is overloaded.
///
/// A 503 halves the rate, at most once a second, because all pushes in progress receive one. Every thousand accepted pushes
/// restore a tenth of the full rate.
struct SendRate: Sendable {
    private let full: Double
    private(set) var perSecond: Double
    private var tokens: Double
    private var filled: Moment
    private var halved: Moment?
    private var successes = 0

    /// The size of the bucket, in seconds.
    private static let burst = 0.1
    /// The lowest rate, as a share of the full rate.
    private static let floor = 0.001

    init(perSecond: Int, now: Moment) {
        full = Double(perSecond)
        self.perSecond = full
        filled = now
        tokens = max(1, full * Self.burst)
    }

    /// How many pushes may be sent now.
    mutating func available(at now: Moment) -> Int {
        if now > filled {
            let seconds = (now - filled) / .seconds(1)
            tokens = min(max(1, perSecond * Self.burst), tokens + seconds * perSecond)
            filled = now
        }
        return Int(tokens)
    }

    /// Records sent pushes.
    mutating func take(_ count: Int) {
        tokens -= Double(count)
    }

    /// When the next push may be sent, if none may now.
    func nextMoment(after now: Moment) -> Moment {
        let seconds = max(0.001, (1 - tokens) / perSecond)
        return now + .seconds(seconds)
    }

    /// Records a 503.
    mutating func overloaded(at now: Moment) {
        if let halved, now < halved + .seconds(1) { return }
        halved = now
        successes = 0
        perSecond = max(full * Self.floor, 1, perSecond / 2)
        tokens = min(tokens, max(1, perSecond * Self.burst))
    }

    /// Records an accepted push.
    mutating func accepted() {
        guard perSecond < full else { return }
        successes += 1
        guard successes == 1000 else { return }
        successes = 0
        perSecond = min(full, perSecond + full / 10)
    }
}

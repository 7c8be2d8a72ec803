/// Which connection is leased, who waits, and what happens next: the pool's rules as a state machine without effects.
///
/// A *slot* is one worker thread and the connection that it owns or will own. Every method handles one event and returns the
/// resulting actions. `Waiter` is a caller that wants a connection; the rules know only its identity.
struct PoolState<Waiter: Sendable & Identifiable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The limits of the pool.
    struct Limits: Sendable {
        var connections: Int
        var waiters: Int
        var acquireDeadline: Duration
        /// The first pause after a failure to connect; each further pause is twice as long, up to the maximum.
        var firstBackoff: Duration = .milliseconds(50)
        var maximumBackoff: Duration = .seconds(1)
    }

    enum Slot: Hashable, Sendable {
        /// No thread yet.
        case unstarted
        /// A thread without connection.
        case vacant
        case connecting
        /// Pausing after a failure to connect.
        case backingOff
        case idle(since: Instant)
        case leased
        /// Told to stop.
        case stopping
        case stopped
    }

    /// A waiter with its times.
    struct Entry: Sendable {
        var waiter: Waiter
        var since: Instant
        var deadline: Instant
    }

    /// The outcome of a request.
    enum Admission {
        /// A connection is idle since the given instant; its worker is to serve the entry now.
        case run(slot: Int, Entry, idleSince: Instant)
        /// It waits. Another slot may have to connect, and the timer may have to be set.
        case wait(connect: Int?, timer: Instant?)
        case reject(Rejection)
    }

    enum Rejection: Hashable, Sendable {
        case tooManyWaiters
        case shutDown
    }

    /// The next step of a worker.
    enum Step {
        case connect
        /// `idleSince` is when the connection was last used; nil if it is handed over directly.
        case run(Entry, idleSince: Instant?)
        case backOff(Duration)
        /// Wait for the next step.
        case park
        case stop
    }

    private let limits: Limits
    private(set) var slots: [Slot]
    /// Idle slots, the most recently used last, so that a pool with little load uses few connections.
    private var idle: [Int] = []
    private var queue = WaitQueue<Entry>()
    /// Slots in `connecting` or `backingOff`.
    private var pending = 0
    /// When the timer fires; nil if it isn't set.
    private var timer: Instant?
    /// Failures to connect since the last success.
    private(set) var failures = 0
    private(set) var isShutDown = false
    private(set) var inUse = 0

    var waiting: Int { queue.count }

    init(_ limits: Limits) {
        self.limits = limits
        slots = Array(repeating: .unstarted, count: limits.connections)
    }

    // MARK: - Callers

    /// A caller wants a connection, and waits for `timeout` or the configured time.
    mutating func request(_ waiter: Waiter, at now: Instant, timeout: Duration? = nil) -> Admission {
        guard !isShutDown else { return .reject(.shutDown) }
        let entry = Entry(waiter: waiter, since: now, deadline: now + (timeout ?? limits.acquireDeadline))
        if let slot = idle.popLast(), case .idle(let since) = slots[slot] {
            slots[slot] = .leased
            inUse += 1
            return .run(slot: slot, entry, idleSince: since)
        }
        // Waiting for a connection that is being established is no sign of overload.
        guard queue.count < limits.waiters + pending + startable else { return .reject(.tooManyWaiters) }
        queue.append(entry)
        return .wait(connect: startConnecting(), timer: setTimer(for: entry.deadline))
    }

    /// A caller has stopped waiting. Returns the entry if it was still queued.
    mutating func cancel(_ id: Waiter.ID) -> Entry? {
        queue.removeAll { $0.waiter.id == id }.first
    }

    /// The timer fired. Removes the entries whose deadline has passed, and sets the timer again if others wait.
    mutating func expire(at now: Instant) -> (expired: [Entry], timer: Instant?) {
        timer = nil
        let expired = queue.removeAll { $0.deadline <= now }
        let next = queue.minimum(of: \.deadline)
        return (expired, next.flatMap { setTimer(for: $0) })
    }

    private mutating func setTimer(for deadline: Instant) -> Instant? {
        if let timer, timer <= deadline { return nil }
        timer = deadline
        return deadline
    }

    // MARK: - Workers

    /// A connection was established. `alsoConnect` are slots that should now connect too, for other waiters.
    mutating func connected(_ slot: Int, at now: Instant) -> (next: Step, alsoConnect: [Int]) {
        pending -= 1
        failures = 0
        let next = serve(slot, at: now)
        var alsoConnect: [Int] = []
        while let another = startConnecting() { alsoConnect.append(another) }
        return (next, alsoConnect)
    }

    /// A connection could not be established. `jitter` is random, from 0 to 1.
    mutating func connectFailed(_ slot: Int, jitter: Double) -> Step {
        failures += 1
        guard !isShutDown else {
            pending -= 1
            return stop(slot)
        }
        guard !queue.isEmpty else { return vacate(slot) }
        slots[slot] = .backingOff
        let doubled = limits.firstBackoff * (1 << min(failures - 1, 16))
        return .backOff(min(doubled, limits.maximumBackoff) * (0.5 + jitter / 2))
    }

    /// The pause after a failure is over.
    mutating func backOffEnded(_ slot: Int) -> Step {
        guard !isShutDown else { return stop(slot) }
        guard !queue.isEmpty else { return vacate(slot) }
        slots[slot] = .connecting
        return .connect
    }

    /// A worker has served its caller. `usable` is whether its connection can serve the next.
    mutating func released(_ slot: Int, usable: Bool, at now: Instant) -> Step {
        inUse -= 1
        return usable ? serve(slot, at: now) : replace(slot)
    }

    /// An idle connection was found broken before it was used, so its waiter goes back to the front of the queue.
    ///
    /// If the pool was shut down meanwhile, the step is `.stop` and the waiter has to be rejected.
    mutating func lost(_ slot: Int, _ entry: Entry) -> (next: Step, timer: Instant?) {
        inUse -= 1
        guard !isShutDown else { return (stop(slot), nil) }
        queue.prepend(entry)
        return (replace(slot), setTimer(for: entry.deadline))
    }

    private mutating func serve(_ slot: Int, at now: Instant) -> Step {
        guard !isShutDown else { return stop(slot) }
        if let entry = queue.popFirst() {
            slots[slot] = .leased
            inUse += 1
            return .run(entry, idleSince: nil)
        }
        slots[slot] = .idle(since: now)
        idle.append(slot)
        return .park
    }

    private mutating func replace(_ slot: Int) -> Step {
        guard !isShutDown else { return stop(slot) }
        guard wantsConnection else {
            slots[slot] = .vacant
            return .park
        }
        pending += 1
        slots[slot] = .connecting
        return .connect
    }

    private mutating func vacate(_ slot: Int) -> Step {
        pending -= 1
        slots[slot] = .vacant
        return .park
    }

    private mutating func stop(_ slot: Int) -> Step {
        slots[slot] = .stopping
        return .stop
    }

    // MARK: - Making connections

    /// One more connection for each waiter; but while the server can't be reached, only one attempt at a time.
    private var wantsConnection: Bool {
        pending < queue.count && (failures == 0 || pending == 0)
    }

    /// How many slots could begin to connect.
    private var startable: Int {
        slots.count - inUse - pending - idle.count
    }

    private mutating func startConnecting() -> Int? {
        guard !isShutDown, wantsConnection, startable > 0,
            let slot = slots.firstIndex(of: .vacant) ?? slots.firstIndex(of: .unstarted)
        else { return nil }
        pending += 1
        slots[slot] = .connecting
        return slot
    }

    // MARK: - Shutdown

    /// Ends the pool.
    ///
    /// Returns the waiters to reject, and the parked or pausing workers to stop; the other workers stop when they are done.
    mutating func shutDown() -> (rejected: [Entry], stop: [Int]) {
        guard !isShutDown else { return ([], []) }
        isShutDown = true
        idle = []
        var toStop: [Int] = []
        for slot in slots.indices {
            switch slots[slot] {
            case .vacant, .idle, .backingOff:
                slots[slot] = .stopping
                toStop.append(slot)
            case .unstarted:
                slots[slot] = .stopped
            case .connecting, .leased, .stopping, .stopped:
                break
            }
        }
        return (queue.removeAll { _ in true }, toStop)
    }

    /// A worker has stopped.
    mutating func stopped(_ slot: Int) {
        slots[slot] = .stopped
    }

    /// Whether every worker has stopped.
    var isFinished: Bool {
        isShutDown && slots.allSatisfy { $0 == .stopped }
    }
}

/// Who has which connection, who waits, and what happens next: the pool's rules, without any of its effects.
///
/// A *slot* is one worker thread and the connection that it owns or will own. Every method is one event and returns
/// what is to be done about it. `Waiter` is whoever wants a connection; the rules never look inside.
struct PoolState<Waiter: Sendable & Identifiable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The numbers that the rules go by.
    struct Limits: Sendable {
        var connections: Int
        var waiters: Int
        var acquireDeadline: Duration
        /// The first pause after a failure to connect; each further one is twice as long, up to the maximum.
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

    /// What becomes of a request.
    enum Admission {
        /// A connection is free, since the instant given; its worker is to serve this now.
        case run(slot: Int, Entry, idleSince: Instant)
        /// It waits; another connection may be worth making, and the alarm may have to be set.
        case wait(connect: Int?, alarm: Instant?)
        case refuse(Refusal)
    }

    enum Refusal: Hashable, Sendable {
        case tooManyWaiters
        case shutDown
    }

    /// What a worker does next.
    enum Step {
        case connect
        /// `idleSince` is when the connection was last used, or nil if that was this moment.
        case run(Entry, idleSince: Instant?)
        case backOff(Duration)
        /// Wait for orders.
        case park
        case stop
    }

    private let limits: Limits
    private(set) var slots: [Slot]
    /// Idle slots; the one used last is on top, so that a quiet pool uses few connections.
    private var idle: [Int] = []
    private var line = WaitingLine<Entry>()
    /// Slots in `connecting` or `backingOff`.
    private var pending = 0
    /// When the alarm is set for; nil if it isn't.
    private var alarm: Instant?
    /// Failures to connect since the last success.
    private(set) var failures = 0
    private(set) var isShutDown = false
    private(set) var inUse = 0

    var waiting: Int { line.count }

    init(_ limits: Limits) {
        self.limits = limits
        slots = Array(repeating: .unstarted, count: limits.connections)
    }

    // MARK: - Those who want a connection

    /// Somebody wants a connection, and is ready to wait for `patience` (or the usual time).
    mutating func request(_ waiter: Waiter, at now: Instant, patience: Duration? = nil) -> Admission {
        guard !isShutDown else { return .refuse(.shutDown) }
        let entry = Entry(waiter: waiter, since: now, deadline: now + (patience ?? limits.acquireDeadline))
        if let slot = idle.popLast(), case .idle(let since) = slots[slot] {
            slots[slot] = .leased
            inUse += 1
            return .run(slot: slot, entry, idleSince: since)
        }
        // Waiting for a connection that is being made just now is no sign of overload.
        guard line.count < limits.waiters + pending + startable else { return .refuse(.tooManyWaiters) }
        line.append(entry)
        return .wait(connect: startConnecting(), alarm: setAlarm(for: entry.deadline))
    }

    /// Somebody has stopped waiting. Returns the entry if it was still in line.
    mutating func cancel(_ id: Waiter.ID) -> Entry? {
        line.removeAll { $0.waiter.id == id }.first
    }

    /// The alarm rang: these have waited long enough. Sets the alarm again if somebody still waits.
    mutating func expire(at now: Instant) -> (expired: [Entry], alarm: Instant?) {
        alarm = nil
        let expired = line.removeAll { $0.deadline <= now }
        let next = line.minimum(of: \.deadline)
        return (expired, next.flatMap { setAlarm(for: $0) })
    }

    private mutating func setAlarm(for deadline: Instant) -> Instant? {
        if let alarm, alarm <= deadline { return nil }
        alarm = deadline
        return deadline
    }

    // MARK: - Workers

    /// A connection was made. `alsoConnect` are slots that should now connect too, for others who wait.
    mutating func connected(_ slot: Int, at now: Instant) -> (next: Step, alsoConnect: [Int]) {
        pending -= 1
        failures = 0
        let next = serve(slot, at: now)
        var alsoConnect: [Int] = []
        while let another = startConnecting() { alsoConnect.append(another) }
        return (next, alsoConnect)
    }

    /// A connection could not be made. `jitter` is random, from 0 to 1.
    mutating func connectFailed(_ slot: Int, jitter: Double) -> Step {
        failures += 1
        guard !isShutDown else {
            pending -= 1
            return stop(slot)
        }
        guard !line.isEmpty else { return vacate(slot) }
        slots[slot] = .backingOff
        let doubled = limits.firstBackoff * (1 << min(failures - 1, 16))
        return .backOff(min(doubled, limits.maximumBackoff) * (0.5 + jitter / 2))
    }

    /// The pause after a failure is over.
    mutating func backOffEnded(_ slot: Int) -> Step {
        guard !isShutDown else { return stop(slot) }
        guard !line.isEmpty else { return vacate(slot) }
        slots[slot] = .connecting
        return .connect
    }

    /// A worker has done what it was lent for. `usable` is whether its connection can serve the next.
    mutating func released(_ slot: Int, usable: Bool, at now: Instant) -> Step {
        inUse -= 1
        return usable ? serve(slot, at: now) : replace(slot)
    }

    /// A connection that was idle proved to be dead before it was used: its waiter goes back to the front, unless the
    /// pool was shut down meanwhile; then the step is `.stop` and the waiter is to be refused.
    mutating func lost(_ slot: Int, _ entry: Entry) -> (next: Step, alarm: Instant?) {
        inUse -= 1
        guard !isShutDown else { return (stop(slot), nil) }
        line.prepend(entry)
        return (replace(slot), setAlarm(for: entry.deadline))
    }

    private mutating func serve(_ slot: Int, at now: Instant) -> Step {
        guard !isShutDown else { return stop(slot) }
        if let entry = line.popFirst() {
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

    /// One connection more for each who waits; but while the server can't be reached, only one attempt at a time.
    private var wantsConnection: Bool {
        pending < line.count && (failures == 0 || pending == 0)
    }

    /// Slots that could begin to connect.
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

    // MARK: - The end

    /// No more requests. Returns who waited in vain, and the parked or pausing workers that are to be told; the others
    /// learn it when they are done.
    mutating func shutDown() -> (refused: [Entry], stop: [Int]) {
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
        return (line.removeAll { _ in true }, toStop)
    }

    /// A worker has stopped.
    mutating func stopped(_ slot: Int) {
        slots[slot] = .stopped
    }

    /// Nothing is left of the pool.
    var isFinished: Bool {
        isShutDown && slots.allSatisfy { $0 == .stopped }
    }
}

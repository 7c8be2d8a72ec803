import Dispatch
import Logging
import Synchronization

/// Carries out what `PoolState` decides: threads, connections, the timer, metrics.
final class ConnectionPool: Sendable {
    private typealias State = PoolState<Job>
    private typealias Worker = PoolWorker<State.Step>

    /// A connection that was idle for longer is checked for unread input before it is used.
    private static let shortIdleTime: Duration = .milliseconds(5)
    /// A connection that was idle for longer must also answer a query.
    private static let longIdleTime: Duration = .seconds(30)

    private struct Ending {
        var isFinished = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: PostgresConfiguration
    private let logger: Logger
    private let metrics: PoolMetrics
    private let state: Mutex<State>
    private let lastConnectError = Mutex<PostgresError?>(nil)
    private let workers: [Worker]
    private let timers = DispatchQueue(label: "postgres.pool.timer")
    private let ending = Mutex(Ending())

    init(_ configuration: PostgresConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        metrics = PoolMetrics(pool: configuration.applicationName)
        var limits = State.Limits(
            connections: configuration.maximumConnections, waiters: configuration.maximumWaiters,
            acquireDeadline: configuration.acquireDeadline)
        // So that at least one attempt to connect is made while a caller waits.
        limits.maximumBackoff = min(limits.maximumBackoff, configuration.acquireDeadline / 2)
        state = Mutex(State(limits))
        workers = (0..<configuration.maximumConnections).map { _ in Worker() }
    }

    // MARK: - Callers

    /// Calls `body` with a connection, on that connection's thread.
    func withConnection<R: Sendable>(
        timeout: Duration? = nil, _ body: @Sendable @escaping (Connection) throws -> R
    ) async throws -> R {
        let mark = CancellationMark()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job(mark: mark) { connection in
                    let result = Result { try body(connection) }
                    return { continuation.resume(with: result) }
                } reject: {
                    continuation.resume(throwing: $0)
                }
                submit(job, timeout: timeout)
            }
        } onCancel: {
            mark.set()
            cancel(ObjectIdentifier(mark))
        }
    }

    private func submit(_ job: Job, timeout: Duration?) {
        let now = ContinuousClock.now
        // The mark is read within the lock: a cancellation is either seen here or finds the job in the queue.
        let admission = locked { state in
            job.wasCancelled ? nil : state.request(job, at: now, timeout: timeout)
        }
        switch admission {
        case nil:
            job.reject(CancellationError())
        case .run(let slot, let entry, let idleSince):
            send(.run(entry, idleSince: idleSince), to: slot)
        case .wait(let slot, let timer):
            if let slot { send(.connect, to: slot) }
            if let timer { set(timer) }
        case .reject(.tooManyWaiters):
            job.reject(PostgresError(.poolExhausted, reason: "too many callers are waiting"))
        case .reject(.shutDown):
            job.reject(PostgresError(.shutDown))
        }
    }

    private func cancel(_ id: Job.ID) {
        locked { $0.cancel(id) }?.waiter.reject(CancellationError())
    }

    /// Rejects callers that have waited too long. The cause is the database, if it can't be reached, otherwise the load.
    private func timerFired() {
        let now = ContinuousClock.now
        let (expired, isUnreachable, timer) = locked { state in
            let (expired, timer) = state.expire(at: now)
            return (expired, state.failures > 0, timer)
        }
        if let timer { set(timer) }
        guard !expired.isEmpty else { return }
        let cause = isUnreachable ? lastConnectError.withLock { $0 } : nil
        for entry in expired {
            metrics.recordWait(now - entry.since)
            entry.waiter.reject(cause ?? PostgresError(.poolExhausted, reason: "no connection became free in time"))
        }
    }

    private func set(_ timer: ContinuousClock.Instant) {
        let milliseconds = Int((timer - .now).milliseconds)
        timers.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in self?.timerFired() }
    }

    // MARK: - Workers

    private func send(_ step: State.Step, to slot: Int) {
        workers[slot].send(step) { [self] in work($0, slot: slot) }
    }

    /// The body of a worker's thread.
    private func work(_ worker: Worker, slot: Int) {
        var connection: Connection?
        var step = worker.take()
        while true {
            switch step {
            case .park:
                step = worker.take()
            case .connect:
                (connection, step) = connect(slot)
            case .backOff(let pause):
                step = worker.take(within: pause) ?? locked { $0.backOffEnded(slot) }
            case .run(let entry, let idleSince):
                guard let lent = connection, isAlive(lent, idleSince: idleSince) else {
                    connection = nil
                    step = requeue(entry, slot)
                    continue
                }
                metrics.recordWait(.now - entry.since)
                let resumeCaller = entry.waiter.perform(lent)
                let isUsable = lent.isReusable
                reportNotices(of: lent)
                if !isUsable { connection = nil }
                let now = ContinuousClock.now
                step = locked { $0.released(slot, usable: isUsable, at: now) }
                resumeCaller()
            case .stop:
                connection = nil
                stopped(slot)
                return
            }
        }
    }

    private func connect(_ slot: Int) -> (Connection?, State.Step) {
        do {
            let connection = try Connection(configuration)
            let now = ContinuousClock.now
            let (wasFailing, next, alsoConnect) = locked { state in
                let wasFailing = state.failures > 0
                let (next, alsoConnect) = state.connected(slot, at: now)
                return (wasFailing, next, alsoConnect)
            }
            for other in alsoConnect { send(.connect, to: other) }
            if wasFailing { logger.info("database is reachable again") }
            return (connection, next)
        } catch {
            metrics.countConnectFailure()
            lastConnectError.withLock { $0 = error }
            let (failures, next) = locked { state in
                let next = state.connectFailed(slot, jitter: .random(in: 0...1))
                return (state.failures, next)
            }
            // Once per outage; the counter counts every failure.
            if failures == 1 {
                logger.warning("database is not reachable", metadata: ["error": "\(error)"])
            }
            return (nil, next)
        }
    }

    /// Whether an idle connection still works.
    ///
    /// It may have broken. It is checked before anything is sent on it: nothing can have been executed, so it can be replaced
    /// without an error for the caller.
    private func isAlive(_ connection: Connection, idleSince: ContinuousClock.Instant?) -> Bool {
        guard let idleSince else { return true }
        let idleTime = ContinuousClock.now - idleSince
        if idleTime < Self.shortIdleTime { return true }
        guard connection.isQuiet else { return false }
        return idleTime < Self.longIdleTime || connection.ping(within: configuration.connectTimeout)
    }

    private func requeue(_ entry: State.Entry, _ slot: Int) -> State.Step {
        let (next, timer) = locked { $0.lost(slot, entry) }
        if let timer { set(timer) }
        if case .stop = next { entry.waiter.reject(PostgresError(.shutDown)) }
        return next
    }

    private func reportNotices(of connection: Connection) {
        let count = connection.takeNoticeCount()
        if count > 0 { logger.debug("database notices dropped", metadata: ["count": "\(count)"]) }
    }

    private func locked<T>(_ body: (inout sending State) -> sending T) -> sending T {
        state.withLock { state in
            let result = body(&state)
            metrics.record(waiting: state.waiting)
            return result
        }
    }

    // MARK: - Shutdown

    /// Rejects new callers and waiters; leased connections are closed when they return to the pool.
    func shutDown() {
        let (rejected, stop) = locked { $0.shutDown() }
        for entry in rejected { entry.waiter.reject(PostgresError(.shutDown)) }
        for slot in stop { send(.stop, to: slot) }
        finishIfDone()
    }

    /// Returns when the last connection has been closed.
    func finished() async {
        await withCheckedContinuation { continuation in
            let isFinished = ending.withLock { ending in
                if !ending.isFinished { ending.waiting.append(continuation) }
                return ending.isFinished
            }
            if isFinished { continuation.resume() }
        }
    }

    private func stopped(_ slot: Int) {
        locked { $0.stopped(slot) }
        finishIfDone()
    }

    private func finishIfDone() {
        guard locked({ $0.isFinished }) else { return }
        let waiting = ending.withLock { ending in
            ending.isFinished = true
            defer { ending.waiting = [] }
            return ending.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

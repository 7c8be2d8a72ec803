internal import CLinux
internal import Glibc
internal import Synchronization

/// One thread that waits for sockets and timers, and runs the tasks that prefer it.
///
/// A connection, its handler, its timers and the task of its request all run here, so none of them needs a lock. What isn't
/// Sendable must be used on its core alone; ``LocalTo`` takes it through Sendable closures.
///
/// It is a task executor: `Task.immediate(executorPreference: core) { … }` starts at once, and stays on the core across `await`,
/// with the children of its groups, the default actors that it calls and continuations that another thread resumes. A plain
/// `Task { … }` leaves the core.
///
/// `@unchecked Sendable`: what stands below "confined" is touched on the core's thread alone; the rest is constant or locked.
package final class Core: TaskExecutor, @unchecked Sendable {
    private struct Inbox: Sendable {
        var jobs: [UnownedJob] = []
        var work: [@Sendable () -> Void] = []
        var isWoken = false
    }

    private let wakeUp: Int32
    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)
    /// Whether a test turns this core by hand.
    package let isManual: Bool

    // Confined.
    /// The time at the beginning of this turn.
    @exclusivity(unchecked) package private(set) var now: Moment
    var timers = Timers()
    /// The descriptors that it waits for.
    var watch: WatchList
    private var jobs: [UnownedJob] = []
    private var running: [UnownedJob] = []
    private var turnEnds: [() -> Void] = []
    private var due: [Connection] = []
    private var dueNow: [Connection] = []
    /// What a connection reads is delivered from here; only what its handler leaves is copied.
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: Core.inputCapacity, alignment: 64)
    /// Where pieces of output become one TLS record.
    let record = UnsafeMutableRawBufferPointer.allocate(byteCount: Core.recordBytes, alignment: 64)
    var buffers = BufferPool()
    private var burst = Burst()

    static let inputCapacity = 128 << 10
    /// The most that a TLS record holds (RFC 8446, 5.1).
    static let recordBytes = 16 << 10
    /// How often jobs that enqueue jobs run before sockets are looked at again.
    private static let roundsATurn = 16

    private init(isManual: Bool, now: Moment) {
        wakeUp = linux_eventfd()
        guard wakeUp >= 0 else { endProcess(because: "no descriptors left for a core") }
        watch = WatchList(wakeUp: wakeUp)
        self.isManual = isManual
        self.now = now
    }

    /// Creates a core with a thread of its own, which runs until the process ends.
    package convenience init() {
        Self.prepareProcess
        self.init(isManual: false, now: .now())
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Core>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        guard status == 0 else { endProcess(because: "no thread for a core") }
    }

    /// Creates a core for a test, which turns it by hand and decides what time it is. It belongs to the thread that turned it
    /// last.
    package convenience init(manual now: Moment) {
        Self.prepareProcess
        self.init(isManual: true, now: now)
        thread.store(UInt(pthread_self()), ordering: .relaxed)
    }

    deinit {
        watch.end()
        close(wakeUp)
        input.deallocate()
        record.deallocate()
    }

    /// Once a process, before its first core.
    private static let prepareProcess: Void = {
        // OpenSSL writes without MSG_NOSIGNAL.
        signal(SIGPIPE, SIG_IGN)
        // By itself malloc raises its threshold with each large block that is freed, and then keeps such blocks: after a
        // burst of uploads hundreds of megabytes would stay (mallopt(3), M_MMAP_THRESHOLD).
        mallopt(M_MMAP_THRESHOLD, 128 << 10)
        mallopt(M_TRIM_THRESHOLD, 128 << 10)
    }()

    // MARK: Threads

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The core of this thread; nil outside of cores.
    package static var current: Core? {
        pthread_getspecific(key).map { Unmanaged<Core>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether this is the core's thread.
    package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs `work` on the core in a later step, from any thread.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        wake { $0.work.append(work) }
    }

    /// Runs `work` on the core and returns its result. On the core itself it runs at once.
    package func submit<R: Sendable, E: Error>(
        _ work: @escaping @Sendable () throws(E) -> R
    ) async throws(E) -> R {
        if isCurrent { return try work() }
        let result = await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<R, E>, Never>) in
            execute { continuation.resume(returning: Result(catching: work)) }
        }
        return try result.get()
    }

    /// Runs a job of a task that prefers this core.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent { jobs.append(job) } else { wake { $0.jobs.append(job) } }
    }

    private func wake(_ change: (inout sending Inbox) -> Void) {
        let mustWake = inbox.withLock { inbox in
            change(&inbox)
            defer { inbox.isWoken = true }
            return !inbox.isWoken
        }
        if mustWake {
            var one: UInt64 = 1
            while write(wakeUp, &one, 8) < 0 {
                if errno == EINTR { continue }
                // The next call tries again.
                return inbox.withLock { $0.isWoken = false }
            }
        }
    }

    // MARK: Turns

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        while true { turn(waits: true) }
    }

    /// Looks at sockets once without waiting, and runs everything that is due. For manual cores.
    package func turn() {
        precondition(isManual)
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        let outer = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, outer) }
        turn(waits: false)
    }

    /// Moves a manual core's time on. Each timer runs at its own moment.
    package func advance(by duration: Duration) {
        let end = now + duration
        while let next = timers.next, next <= end {
            now = max(now, next)
            turn()
        }
        now = end
        turn()
    }

    private func turn(waits: Bool) {
        let count = watch.wait(nanoseconds: waits ? patience() : 0)
        if !isManual { now = .now() }
        for index in 0..<count {
            switch watch.event(index) {
            case .wakeUp: takeInbox()
            case .ready(let watched, let events): watched.ready(events)
            case .stale: break
            }
        }
        runTimers()
        finishTurn()
        if burst.noted(watch.count) { returnMemory() }
    }

    /// Has memory returned to the system once the connections that have ended are freed.
    private func returnMemory() {
        at(now + Burst.delay) { [weak self] in
            self?.burst.returned()
            Blocking.start { malloc_trim(0) }
        }
    }

    /// How long the core may wait, in nanoseconds; -1 is forever.
    private func patience() -> Int64 {
        if !jobs.isEmpty || !due.isEmpty || !turnEnds.isEmpty { return 0 }
        guard let next = timers.next else { return -1 }
        let now = Moment.now()
        return next <= now ? 0 : Int64(truncatingIfNeeded: min(next.nanoseconds - now.nanoseconds, UInt64(Int64.max)))
    }

    /// Runs jobs, then what waits for the end of the turn, as often as either makes more; but sockets don't wait forever.
    private func finishTurn() {
        var round = 0
        while round < Self.roundsATurn, !jobs.isEmpty || !turnEnds.isEmpty || !due.isEmpty {
            runJobs()
            let ends = turnEnds
            turnEnds.removeAll(keepingCapacity: true)
            for end in ends { end() }
            swap(&due, &dueNow)
            for connection in dueNow { connection.runDue() }
            dueNow.removeAll(keepingCapacity: true)
            round += 1
        }
    }

    private func runJobs() {
        swap(&jobs, &running)
        let executor = asUnownedTaskExecutor()
        for job in running { job.runSynchronously(on: executor) }
        running.removeAll(keepingCapacity: true)
    }

    private func takeInbox() {
        let taken = inbox.withLock { inbox in
            let taken = inbox
            inbox = Inbox()
            return taken
        }
        jobs.append(contentsOf: taken.jobs)
        for work in taken.work { work() }
    }

    /// Runs `work` before the core waits again. It gathers what belongs into one system call.
    package func afterTurn(_ work: @escaping () -> Void) {
        turnEnds.append(work)
    }

    /// Calls the connection's `runDue` before the core waits again.
    func afterTurn(_ connection: Connection) {
        due.append(connection)
    }
}

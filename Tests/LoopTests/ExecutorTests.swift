import Loop
import Synchronization
import Testing

@Suite struct ExecutorTests {
    private let core = Cores.shared.next()

    private actor Counter {
        private var count = 0
        func increment() -> Core? {
            count += 1
            return Core.current
        }
    }

    private final class Log: Sendable {
        private let entries = Mutex<[Int: [Int]]>([:])
        func add(_ number: Int, from sender: Int) { entries.withLock { $0[sender, default: []].append(number) } }
        func numbers(of sender: Int) -> [Int]? { entries.withLock { $0[sender] } }
    }

    @concurrent private func concurrent() async -> Core? { Core.current }

    private func isHere() -> Bool { Core.current === core }

    @Test("a task that prefers a core stays on it through calls, actors, groups and yields")
    func stays() async {
        let core = core
        await Task(executorPreference: core) {
            #expect(isHere())
            await Task.yield()
            #expect(isHere())
            #expect(await concurrent() === core)
            #expect(await Counter().increment() === core)
            #expect(isHere())
            async let bound = concurrent()
            #expect(await bound === core)
            await withTaskGroup(of: Core?.self) { group in
                for _ in 0..<20 { group.addTask { Core.current } }
                for await place in group { #expect(place === core) }
            }
            #expect(isHere())
        }.value
    }

    @Test("a task comes back to its core when another thread resumes it")
    func comesBack() async {
        let core = core
        let other = Core()
        await Task(executorPreference: core) {
            let place = await withCheckedContinuation { continuation in
                other.execute { continuation.resume(returning: Core.current.map(ObjectIdentifier.init)) }
            }
            #expect(place == ObjectIdentifier(other))
            #expect(isHere())
            let thread = await Blocking.run { Core.current.map(ObjectIdentifier.init) }
            #expect(thread == nil)
            #expect(isHere())
            #expect(await other.submit { Core.current === other })
            #expect(isHere())
        }.value
    }

    @Test("an immediate task begins before its maker goes on, and then stays")
    func immediate() async {
        let core = core
        let started = await core.submit {
            let log = Mutex<[String]>([])
            let task = Task.immediate(executorPreference: core) {
                log.withLock { $0.append("in the task") }
                await Task.yield()
                log.withLock { $0.append(Core.current === core ? "on the core" : "elsewhere") }
                return log.withLock { $0 }
            }
            log.withLock { $0.append("after it") }
            return task
        }
        #expect(await started.value == ["in the task", "after it", "on the core"])
    }

    @Test("a plain task doesn't run on a core")
    func plain() async {
        #expect(await Task { Core.current == nil }.value)
        #expect(Core.current == nil)
    }

    @Test("work of many threads runs on the core, once each, and in the order of each sender")
    func inbox() async {
        let core = core
        let log = Log()
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        core.execute { log.add(number, from: sender) }
                    }
                    await core.submit {}
                }
            }
        }
        for sender in 0..<8 { #expect(log.numbers(of: sender) == Array(0..<500)) }
    }

    @Test("submitted work gives its result or its error back")
    func submit() async throws {
        struct Refusal: Error {}
        let core = core
        #expect(await core.submit { Core.current === core })
        #expect(await core.submit { 7 } == 7)
        await #expect(throws: Refusal.self) {
            try await core.submit { () throws(Refusal) -> Int in throw Refusal() }
        }
        // On the core itself it runs at once.
        await Task(executorPreference: core) { #expect(await core.submit { isHere() }) }.value
    }

    @Test("a task that yields without end leaves sockets and timers their turn")
    func yielding() async {
        let core = core
        let isDone = Atomic(false)
        let task = Task(executorPreference: core) {
            while !isDone.load(ordering: .relaxed) { await Task.yield() }
        }
        await core.submit { _ = core.at(core.now + .milliseconds(5)) { isDone.store(true, ordering: .relaxed) } }
        await task.value
    }

    @Test("cores are given out one after another")
    func next() {
        let cores = Cores(count: 3)
        #expect(cores.all.count == 3)
        let six = (0..<6).map { _ in cores.next() }
        for index in 0..<3 {
            #expect(six[index] === six[index + 3])
            #expect(six[index] !== six[(index + 1) % 3])
        }
        #expect(Cores(count: 0).all.count == 1)
    }

    @Test("a manual core runs tasks and other threads' work in its turns")
    func manual() async {
        let core = Core(manual: Moment(nanoseconds: 0))
        let result = Mutex(0)
        let task = Task(executorPreference: core) {
            result.withLock { $0 = 1 }
            await Task.yield()
            result.withLock { $0 = 2 }
        }
        #expect(core.turns { result.withLock { $0 } == 2 })
        await task.value
    }
}

@Suite struct BlockingTests {
    @Test("more calls than threads all end, and results and errors come back")
    func many() async throws {
        struct Refusal: Error {}
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 0..<200 { group.addTask { await Blocking.run { number } } }
            return await group.reduce(0, +)
        }
        #expect(sum == 199 * 200 / 2)
        await #expect(throws: Refusal.self) {
            try await Blocking.run { () throws(Refusal) -> Int in throw Refusal() }
        }
    }
}

import Testing

@testable import Postgres

@Suite("The pool's rules")
struct PoolStateTests {
    struct Caller: Identifiable, Sendable {
        let id: Int
    }

    typealias State = PoolState<Caller>

    let start = ContinuousClock.now

    private func pool(connections: Int = 2, waiters: Int = 4) -> State {
        State(.init(connections: connections, waiters: waiters, acquireDeadline: .seconds(2)))
    }

    /// A pool whose connections are all lent, to callers 0, 1, …
    private func busyPool(connections: Int = 2, waiters: Int = 4) -> State {
        var state = pool(connections: connections, waiters: waiters)
        for id in 0..<connections {
            _ = state.request(Caller(id: id), at: start)
            _ = state.connected(id, at: start)
        }
        // The timer that was set for them fires without effect.
        _ = state.expire(at: start)
        return state
    }

    @Test("the first caller waits for a new connection, and gets it")
    func firstCaller() throws {
        var state = pool()
        guard case .wait(connect: 0, let timer) = state.request(Caller(id: 1), at: start) else {
            Issue.record("expected to wait")
            return
        }
        #expect(timer == start + .seconds(2))
        guard case .run(let entry, idleSince: nil) = state.connected(0, at: start).next else {
            Issue.record("expected to run")
            return
        }
        #expect(entry.waiter.id == 1)
        #expect(state.inUse == 1)
    }

    @Test("an idle connection is leased at once, the most recently used first")
    func idleConnection() {
        var state = busyPool()
        _ = state.released(0, usable: true, at: start)
        _ = state.released(1, usable: true, at: start + .seconds(1))
        guard case .run(slot: 1, _, let since) = state.request(Caller(id: 9), at: start + .seconds(5)) else {
            Issue.record("expected the connection used last")
            return
        }
        #expect(since == start + .seconds(1))
    }

    @Test("waiters are served in order by whichever connection becomes free")
    func firstInFirstOut() {
        var state = busyPool()
        for id in 10..<13 { _ = state.request(Caller(id: id), at: start) }
        var served: [Int] = []
        for slot in [1, 0, 1] {
            if case .run(let entry, idleSince: nil) = state.released(slot, usable: true, at: start) {
                served.append(entry.waiter.id)
            }
        }
        #expect(served == [10, 11, 12])
        #expect(state.waiting == 0)
    }

    @Test("a caller beyond the limit of waiters is rejected")
    func tooManyWaiters() {
        var state = busyPool(waiters: 2)
        for id in 10..<12 {
            guard case .wait = state.request(Caller(id: id), at: start) else {
                Issue.record("expected to wait")
                return
            }
        }
        guard case .reject(.tooManyWaiters) = state.request(Caller(id: 12), at: start) else {
            Issue.record("expected a refusal")
            return
        }
    }

    @Test("a pool without waiters still establishes its connections")
    func noWaiters() {
        var state = pool(connections: 2, waiters: 0)
        for id in 0..<2 {
            guard case .wait(connect: id, _) = state.request(Caller(id: id), at: start) else {
                Issue.record("expected a connection to be made")
                return
            }
        }
        guard case .reject(.tooManyWaiters) = state.request(Caller(id: 2), at: start) else {
            Issue.record("expected a refusal")
            return
        }
    }

    @Test("a caller that has waited too long leaves the queue, and the timer is set for the next")
    func expiry() {
        var state = busyPool()
        _ = state.request(Caller(id: 10), at: start)
        _ = state.request(Caller(id: 11), at: start + .seconds(1))
        #expect(state.expire(at: start + .milliseconds(1999)).expired.isEmpty)
        let (expired, timer) = state.expire(at: start + .seconds(2))
        #expect(expired.map(\.waiter.id) == [10])
        #expect(timer == start + .seconds(3))
        #expect(state.waiting == 1)
    }

    @Test("the timer is set once, and earlier for a caller with a shorter timeout")
    func timer() {
        var state = busyPool()
        guard case .wait(nil, timer: start + .seconds(2)) = state.request(Caller(id: 10), at: start),
            case .wait(nil, timer: nil) = state.request(Caller(id: 11), at: start + .seconds(1)),
            case .wait(nil, timer: start + .milliseconds(1500)) = state.request(
                Caller(id: 12), at: start + .seconds(1), timeout: .milliseconds(500))
        else {
            Issue.record("wrong timer")
            return
        }
        #expect(state.expire(at: start + .milliseconds(1500)).expired.map(\.waiter.id) == [12])
    }

    @Test("a cancelled caller leaves the queue from any position")
    func cancellation() {
        var state = busyPool()
        for id in 10..<13 { _ = state.request(Caller(id: id), at: start) }
        #expect(state.cancel(11)?.waiter.id == 11)
        #expect(state.cancel(11) == nil)
        #expect(state.cancel(0) == nil)
        #expect(state.waiting == 2)
    }

    @Test("a broken connection is replaced only if a caller waits")
    func brokenConnection() {
        var state = busyPool()
        guard case .park = state.released(0, usable: false, at: start) else {
            Issue.record("expected to park")
            return
        }
        #expect(state.slots[0] == .vacant)
        // The next caller has it made again.
        guard case .wait(connect: 0, _) = state.request(Caller(id: 10), at: start) else {
            Issue.record("expected a connection to be made")
            return
        }
        _ = state.request(Caller(id: 11), at: start)
        guard case .connect = state.released(1, usable: false, at: start) else {
            Issue.record("expected to connect")
            return
        }
    }

    @Test("a caller whose connection was found broken before use is served first")
    func deadConnection() {
        var state = busyPool(connections: 1)
        _ = state.released(0, usable: true, at: start)
        guard case .run(slot: 0, let entry, _) = state.request(Caller(id: 10), at: start) else {
            Issue.record("expected to run")
            return
        }
        _ = state.request(Caller(id: 11), at: start)
        guard case .connect = state.lost(0, entry).next,
            case .run(let served, _) = state.connected(0, at: start).next
        else {
            Issue.record("expected to connect and run")
            return
        }
        #expect(served.waiter.id == 10)
    }

    @Test("while the server can't be reached, the pool makes one attempt at a time with exponential backoff")
    func outage() {
        var state = pool(connections: 3)
        _ = state.request(Caller(id: 0), at: start)
        var pauses: [Duration] = []
        for _ in 0..<7 {
            if case .backOff(let pause) = state.connectFailed(0, jitter: 1) { pauses.append(pause) }
            guard case .wait(connect: nil, _) = state.request(Caller(id: 1), at: start, timeout: .seconds(9)) else {
                Issue.record("expected no second attempt")
                return
            }
            _ = state.cancel(1)
            guard case .connect = state.backOffEnded(0) else {
                Issue.record("expected another attempt")
                return
            }
        }
        #expect(pauses == [50, 100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
    }

    @Test("when the server is back, each waiter gets a connection")
    func recovery() {
        var state = pool(connections: 3)
        _ = state.request(Caller(id: 0), at: start)
        _ = state.connectFailed(0, jitter: 0)
        for id in 1..<4 { _ = state.request(Caller(id: id), at: start) }
        _ = state.backOffEnded(0)
        let (next, alsoConnect) = state.connected(0, at: start)
        guard case .run(let entry, _) = next else {
            Issue.record("expected to run")
            return
        }
        #expect(entry.waiter.id == 0)
        #expect(alsoConnect == [1, 2])
        #expect(state.failures == 0)
    }

    @Test("no connection is established for callers that have left")
    func noWaitersLeft() {
        var state = pool()
        _ = state.request(Caller(id: 0), at: start)
        _ = state.expire(at: start + .seconds(2))
        guard case .park = state.connectFailed(0, jitter: 0) else {
            Issue.record("expected to park")
            return
        }
        #expect(state.slots[0] == .vacant)
    }

    @Test("a pool that was shut down rejects callers, stops idle workers at once and the others when they are done")
    func shutDown() {
        var state = busyPool(connections: 3)
        _ = state.released(0, usable: true, at: start)
        let (rejected, stop) = state.shutDown()
        #expect(rejected.isEmpty)
        #expect(stop == [0])
        guard case .reject(.shutDown) = state.request(Caller(id: 10), at: start),
            case .stop = state.released(1, usable: true, at: start),
            case .stop = state.released(2, usable: false, at: start)
        else {
            Issue.record("expected to stop")
            return
        }
        for slot in 0..<3 {
            #expect(!state.isFinished)
            state.stopped(slot)
        }
        #expect(state.isFinished)
    }

    @Test("shutting down rejects waiters and ends pauses")
    func shutDownDuringOutage() {
        var state = pool()
        _ = state.request(Caller(id: 0), at: start)
        _ = state.connectFailed(0, jitter: 0)
        let (rejected, stop) = state.shutDown()
        #expect(rejected.map(\.waiter.id) == [0])
        #expect(stop == [0])
        guard case .stop = state.backOffEnded(0) else {
            Issue.record("expected to stop")
            return
        }
        state.stopped(0)
        #expect(state.isFinished)
    }

    @Test("in any sequence of events nobody waits while a connection is idle, and the limit of connections holds")
    func invariants() {
        var random = SystemRandomNumberGenerator()
        var state = pool(connections: 4, waiters: 6)
        var now = start
        var leased: Set<Int> = []
        var connecting: Set<Int> = []
        var pausing: Set<Int> = []
        var id = 0

        func carryOut(_ step: State.Step, _ slot: Int) {
            switch step {
            case .connect: connecting.insert(slot)
            case .run: leased.insert(slot)
            case .backOff: pausing.insert(slot)
            case .park, .stop: break
            }
        }

        for _ in 0..<20_000 {
            now += .milliseconds(Int.random(in: 0...300, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1, 2:
                id += 1
                switch state.request(Caller(id: id), at: now) {
                case .run(let slot, _, _): leased.insert(slot)
                case .wait(let slot, _): if let slot { connecting.insert(slot) }
                case .reject: break
                }
            case 3, 4:
                if let slot = leased.randomElement() {
                    leased.remove(slot)
                    carryOut(state.released(slot, usable: Bool.random(), at: now), slot)
                }
            case 5:
                if let slot = connecting.randomElement() {
                    connecting.remove(slot)
                    if Bool.random() {
                        let (next, also) = state.connected(slot, at: now)
                        carryOut(next, slot)
                        connecting.formUnion(also)
                    } else {
                        carryOut(state.connectFailed(slot, jitter: 0.5), slot)
                    }
                }
            case 6:
                if let slot = pausing.randomElement() {
                    pausing.remove(slot)
                    carryOut(state.backOffEnded(slot), slot)
                }
            default:
                _ = Bool.random() ? state.expire(at: now).expired.first : state.cancel(Int.random(in: 0...id))
            }
            let isIdle = state.slots.contains { if case .idle = $0 { true } else { false } }
            #expect(state.waiting == 0 || !isIdle)
            #expect(state.waiting == 0 || !(leased.isEmpty && connecting.isEmpty && pausing.isEmpty))
            #expect(state.inUse == leased.count)
            #expect(leased.isDisjoint(with: connecting) && leased.isDisjoint(with: pausing))
        }
    }
}

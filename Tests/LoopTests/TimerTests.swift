import Loop
import Testing

@Suite struct TimerTests {
    private let core = Core(manual: Moment(nanoseconds: 5_000))

    @Test("moments add, subtract and stop at their ends")
    func moments() {
        let start = Moment(nanoseconds: 10)
        #expect(start + .nanoseconds(5) == Moment(nanoseconds: 15))
        #expect(start - .nanoseconds(4) == Moment(nanoseconds: 6))
        #expect((start + .seconds(2)) - start == .seconds(2))
        #expect(start - (start + .seconds(2)) == .seconds(-2))
        #expect(start - .seconds(1) == Moment(nanoseconds: 0))
        #expect(Moment.distantFuture + .seconds(1) == .distantFuture)
        #expect(start + .seconds(Int64.max) > start)
        #expect(Moment.now() <= Moment.now())
    }

    @Test("work runs in the order of its moments, and not before")
    func order() {
        var log: [Int] = []
        for delay in [5, 1, 4, 2, 3, 9, 7] { core.at(core.now + .seconds(delay)) { log.append(delay) } }
        core.turn()
        #expect(log == [])
        core.advance(by: .seconds(3))
        #expect(log == [1, 2, 3])
        core.advance(by: .seconds(7))
        #expect(log == [1, 2, 3, 4, 5, 7, 9])
    }

    @Test("each timer sees its own moment")
    func ownMoment() {
        let start = core.now
        var seen: [Duration] = []
        for delay in [1, 2] { core.at(start + .seconds(delay)) { seen.append(core.now - start) } }
        core.advance(by: .seconds(5))
        #expect(seen == [.seconds(1), .seconds(2)])
        #expect(core.now - start == .seconds(5))
    }

    @Test("cancelled work doesn't run, and the rest keeps its order", arguments: 0..<7)
    func cancelled(index: Int) {
        var log: [Int] = []
        let work = [3, 6, 1, 5, 2, 7, 4].map { delay in core.at(core.now + .seconds(delay)) { log.append(delay) } }
        work[index].cancel()
        work[index].cancel()
        core.advance(by: .seconds(10))
        #expect(log == (1...7).filter { $0 != [3, 6, 1, 5, 2, 7, 4][index] })
        work[(index + 1) % 7].cancel()
    }

    @Test("work may cancel other work that is due in the same step")
    func cancelledByOther() {
        var log: [String] = []
        var second: ScheduledWork?
        core.at(core.now + .seconds(1)) {
            log.append("first")
            second?.cancel()
        }
        second = core.at(core.now + .seconds(2)) { log.append("second") }
        core.advance(by: .seconds(3))
        #expect(log == ["first"])
    }

    @Test("a deadline expires once for each that was set, and not when it was moved or removed")
    func deadline() {
        var count = 0
        let deadline = Deadline(on: core) { count += 1 }
        deadline.set(core.now + .seconds(10))
        for _ in 0..<5 {
            core.advance(by: .seconds(9))
            deadline.set(core.now + .seconds(10))
        }
        #expect(count == 0)
        core.advance(by: .seconds(10))
        #expect(count == 1)
        core.advance(by: .seconds(100))
        #expect(count == 1)
        deadline.set(core.now + .seconds(10))
        deadline.set(nil)
        core.advance(by: .seconds(100))
        #expect(count == 1)
        deadline.set(core.now + .seconds(50))
        deadline.set(core.now + .seconds(1))
        core.advance(by: .seconds(1))
        #expect(count == 2)
        core.advance(by: .seconds(100))
        #expect(count == 2)
    }

    @Test("a deadline that nobody holds any more doesn't expire")
    func forgotten() {
        var count = 0
        do {
            let deadline = Deadline(on: core) { count += 1 }
            deadline.set(core.now + .seconds(1))
        }
        core.advance(by: .seconds(2))
        #expect(count == 0)
    }

    @Test("a deadline may be set anew when it expires")
    func again() {
        var count = 0
        var deadline: Deadline?
        deadline = Deadline(on: core) {
            count += 1
            deadline?.set(core.now + .seconds(1))
        }
        deadline?.set(core.now + .seconds(1))
        core.advance(by: .seconds(5))
        #expect(count == 5)
        deadline = nil
    }

    @Test("what is to run after a turn runs before the next one, in order")
    func afterTurn() {
        var log: [Int] = []
        core.afterTurn {
            log.append(1)
            core.afterTurn { log.append(3) }
        }
        core.afterTurn { log.append(2) }
        #expect(log == [])
        core.turn()
        #expect(log == [1, 2, 3])
    }

    @Test("a core with a thread runs timers at their moments")
    func real() async {
        let core = Cores.shared.next()
        let late = await withCheckedContinuation { continuation in
            core.execute {
                let moment = core.now + .milliseconds(20)
                core.at(moment) { continuation.resume(returning: Moment.now() - moment) }
            }
        }
        #expect(late >= .zero)
    }
}

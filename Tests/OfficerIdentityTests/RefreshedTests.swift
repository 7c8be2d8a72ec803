import Foundation
import Metrics
import OfficerIdentity
import Running
import Synchronization
import TestSupport
import Testing

@Suite struct RefreshedTests {
    private struct Down: Error {}

    @Test("a failed read keeps the value and is counted; one read serves all who wait")
    func keeps() async throws {
        let metrics = PrometheusMetrics()
        let clock = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))
        let reads = Mutex(0)
        let gate = Gate()
        let value = Refreshed<Int>(clock: clock.clock, failures: Counter(label: "failures", factory: metrics)) {
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            if number == 1 { await gate.pass() }
            if number == 2 { throw Down() }
            return number
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { try await value.refresh(unlessWithin: 60) } }
            group.addTask { gate.open() }
            try await group.waitForAll()
        }
        #expect(await value.current == 1)
        #expect(reads.withLock { $0 } == 1)
        clock.advance(by: 60)
        await #expect(throws: Down.self) { try await value.refresh(unlessWithin: 60) }
        #expect(await value.current == 1)
        #expect(metrics.text.contains("failures 1"))
        clock.advance(by: 59)
        // Within the minute the last outcome counts.
        await #expect(throws: Down.self) { try await value.refresh(unlessWithin: 60) }
        #expect(reads.withLock { $0 } == 2)
    }

    @Test("who needs a newer value isn't served by a read that began before, and there are ten such reads a minute")
    func needed() async throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_779_796_800))
        let published = Mutex(1)
        let reads = Mutex(0)
        let (entered, gate) = (Gate(), Gate())
        let value = Refreshed<Int>(
            clock: clock.clock, failures: Counter(label: "failures", factory: PrometheusMetrics())
        ) {
            let seen = published.withLock { $0 }
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            if number == 1 {
                entered.open()
                await gate.pass()
            }
            return seen
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await value.refresh() }
            await entered.pass()
            // The first read has seen the old value, and is still under way.
            published.withLock { $0 = 2 }
            for _ in 0..<5 { group.addTask { try await value.refresh { $0 == 2 } } }
            group.addTask { gate.open() }
            try await group.waitForAll()
        }
        #expect(await value.current == 2)
        let before = reads.withLock { $0 }
        #expect(before <= 6)
        clock.advance(by: 60)
        for _ in 0..<20 { try await value.refresh { $0 == 3 } }
        #expect(reads.withLock { $0 } == before + 10)
        clock.advance(by: 60)
        published.withLock { $0 = 3 }
        try await value.refresh { $0 == 3 }
        #expect(await value.current == 3)
    }
}

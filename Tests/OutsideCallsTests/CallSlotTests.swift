import Testing

@testable import OutsideCalls

@Suite(.timeLimit(.minutes(5))) struct CallSlotTests {
    @Test("who waits gets the slot that is given back, in order")
    func order() async throws {
        let slots = CallSlots(count: 1, waiting: 10)
        try await slots.take(within: .seconds(60))
        let waiting = Task { try await slots.take(within: .seconds(60)) }
        slots.giveBack()
        try await waiting.value
        slots.giveBack()
        try await slots.take(within: .seconds(60))
    }

    @Test("who waits too long, or with too many, gets none")
    func none() async throws {
        let slots = CallSlots(count: 1, waiting: 0)
        try await slots.take(within: .seconds(60))
        await #expect(throws: OutsideProblem.busy) { try await slots.take(within: .seconds(60)) }
        let others = CallSlots(count: 0, waiting: 1)
        await #expect(throws: OutsideProblem.timedOut) { try await others.take(within: .milliseconds(20)) }
    }

    @Test("a cancelled task stops waiting, and takes no slot")
    func cancelled() async throws {
        let slots = CallSlots(count: 0, waiting: 1)
        let task = Task { try await slots.take(within: .seconds(60)) }
        task.cancel()
        await #expect(throws: OutsideProblem.cancelled) { try await task.value }
        slots.giveBack()
        try await slots.take(within: .seconds(60))
    }
}

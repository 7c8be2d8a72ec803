import Calling
import HTTPContract
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct BatcherTests {
    private struct Refusal: Error {}

    /// What was asked together.
    private final class Asked: Sendable {
        let batches = Mutex<[[Int]]>([])
    }

    /// Runs a batcher for the length of a body.
    private func with<R: Sendable>(
        _ batcher: Batcher<Int, Int>, _ body: @Sendable () async throws -> R
    ) async throws -> R {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await batcher.run() }
            let result = try await body()
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
    }

    @Test("each caller gets the answer to its own question, and together they cost few calls")
    func together() async throws {
        let asked = Asked()
        let gate = Gate()
        let batcher = Batcher<Int, Int>(maximum: 64, workers: 1) { questions in
            asked.batches.withLock { $0.append(questions) }
            await gate.pass()
            return questions.map { $0 * 10 }
        }
        let answers = try await with(batcher) {
            try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for question in 0..<100 { group.addTask { (question, try await batcher.answer(to: question)) } }
                // The first is being asked; the others come meanwhile.
                while asked.batches.withLock({ $0.isEmpty }) { await Task.yield() }
                gate.open()
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
        #expect(answers == Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, $0 * 10) }))
        let batches = asked.batches.withLock { $0 }
        #expect(batches.flatMap(\.self).sorted() == Array(0..<100))
        #expect(batches.allSatisfy { $0.count <= 64 })
    }

    @Test("who asks alone is not kept waiting for company")
    func alone() async throws {
        let batcher = Batcher<Int, Int>(maximum: 64) { $0.map { $0 + 1 } }
        let answers = try await with(batcher) {
            var answers: [Int] = []
            for question in 0..<5 { answers.append(try await batcher.answer(to: question)) }
            return answers
        }
        #expect(answers == [1, 2, 3, 4, 5])
    }

    @Test("what asking throws, everybody in the batch gets, and the next batch is asked again")
    func failing() async throws {
        let batcher = Batcher<Int, Int>(maximum: 64) { questions in
            if questions.contains(0) { throw Refusal() }
            return questions
        }
        let good = try await with(batcher) {
            await #expect(throws: Refusal.self) { try await batcher.answer(to: 0) }
            return try await batcher.answer(to: 1)
        }
        #expect(good == 1)
    }

    @Test("answers that are too few are nobody's")
    func tooFew() async throws {
        let batcher = Batcher<Int, Int>(maximum: 64) { _ in [] }
        _ = try await with(batcher) {
            await #expect(throws: CallError.malformedAnswer) { try await batcher.answer(to: 1) }
        }
    }

    @Test("one question more than may wait is refused at once")
    func full() async throws {
        let batcher = Batcher<Int, Int>(maximum: 1, workers: 1, queueLimit: 0) { $0 }
        // Nobody works yet, so that the question would have to wait.
        await #expect(throws: Problem.unavailable) { try await batcher.answer(to: 1) }
    }

    @Test("at the end everybody gets an answer or a refusal, and afterwards a refusal")
    func end() async throws {
        let gate = Gate()
        let asked = Asked()
        let batcher = Batcher<Int, Int>(maximum: 1, workers: 1) { questions in
            asked.batches.withLock { $0.append(questions) }
            await gate.pass()
            return questions
        }
        let answers = try await withThrowingTaskGroup(of: Int?.self) { group in
            let running = Gate()
            group.addTask {
                try await withThrowingTaskGroup(of: Void.self) { inner in
                    inner.addTask { try await batcher.run() }
                    await running.pass()
                    inner.cancelAll()
                    try await inner.waitForAll()
                }
                return nil
            }
            // The second one waits, or comes too late.
            for question in 1...2 { group.addTask { try? await batcher.answer(to: question) } }
            while asked.batches.withLock({ $0.isEmpty }) { await Task.yield() }
            running.open()
            gate.open()
            return try await group.reduce(into: Set<Int>()) { if let answer = $1 { $0.insert(answer) } }
        }
        #expect(answers == Set(asked.batches.withLock { $0 }.joined()))
        #expect(!answers.isEmpty)
        await #expect(throws: Problem.unavailable) { try await batcher.answer(to: 3) }
    }
}

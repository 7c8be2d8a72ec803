import HTTPContract
import ServiceLifecycle
import Synchronization

/// Combines the questions of many callers into batches.
///
/// While no batch is in progress, a question is sent at once, so that an idle service answers as fast as without batches.
/// Questions that arrive meanwhile wait and are sent together: the busier the service, the less each question costs. The other
/// side sees fewer calls, and doesn't see when each question arrived.
///
/// Run it as a service that stops before those it asks. On shutdown it waits for questions in progress.
package final class Batcher<Question: Sendable, Answer: Sendable>: Service {
    private struct Entry {
        let question: Question
        let caller: CheckedContinuation<Answer, any Error>
    }

    private struct State {
        var waiting: [Entry] = []
        /// Idle workers.
        var idle: [CheckedContinuation<[Entry]?, Never>] = []
        var isClosed = false
    }

    private let maximum: Int
    private let workers: Int
    private let pause: Duration
    private let queueLimit: Int
    private let ask: @Sendable ([Question]) async throws -> [Answer]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - maximum: the largest batch.
    ///   - workers: how many batches may be in progress at a time.
    ///   - pause: how long a worker waits after a batch of more than one question, so that the next batch is larger. Use it if
    ///     most of the cost is per batch. A single question is still asked at once.
    ///   - queueLimit: how many questions may wait; one more is refused with `Problem.unavailable`.
    ///   - ask: answers each question, in their order; an error goes to all of them. It must have a deadline.
    package init(
        maximum: Int, workers: Int = 2, pause: Duration = .zero, queueLimit: Int = 4096,
        _ ask: @escaping @Sendable ([Question]) async throws -> [Answer]
    ) {
        self.maximum = maximum
        self.workers = workers
        self.pause = pause
        self.queueLimit = queueLimit
        self.ask = ask
    }

    /// Waits for the answer to a question, alone or in a batch.
    /// - Throws: what asking throws; `Problem.unavailable` if too many questions wait or the batcher has ended.
    package func answer(to question: Question) async throws -> Answer {
        try await withCheckedThrowingContinuation { caller in
            let entry = Entry(question: question, caller: caller)
            let (worker, isRefused) = state.withLock { state in
                guard !state.isClosed, state.waiting.count < queueLimit else {
                    return (CheckedContinuation<[Entry]?, Never>?.none, true)
                }
                if let worker = state.idle.popLast() { return (worker, false) }
                state.waiting.append(entry)
                return (nil, false)
            }
            if isRefused { caller.resume(throwing: Problem.unavailable) }
            worker?.resume(returning: [entry])
        }
    }

    /// Sends batches until the service ends.
    package func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<workers {
                    group.addTask {
                        while let batch = await self.next() {
                            await self.work(on: batch)
                            // The sleep ends at once on shutdown.
                            if batch.count > 1, self.pause > .zero { try? await Task.sleep(for: self.pause) }
                        }
                    }
                }
            }
        } onCancelOrGracefulShutdown: {
            self.close()
        }
    }

    /// The next batch; nil at the end.
    private func next() async -> [Entry]? {
        await withCheckedContinuation { worker in
            let batch: [Entry]?? = state.withLock { state in
                if !state.waiting.isEmpty {
                    let batch = Array(state.waiting.prefix(maximum))
                    state.waiting.removeFirst(batch.count)
                    return batch
                }
                if state.isClosed { return .some(nil) }
                state.idle.append(worker)
                return nil
            }
            if let batch { worker.resume(returning: batch) }
        }
    }

    private func work(on batch: [Entry]) async {
        do {
            let answers = try await ask(batch.map(\.question))
            guard answers.count == batch.count else { throw CallError.malformedAnswer }
            for (entry, answer) in zip(batch, answers) { entry.caller.resume(returning: answer) }
        } catch {
            for entry in batch { entry.caller.resume(throwing: error) }
        }
    }

    /// Accepts no further questions. Waiting ones are still asked.
    private func close() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            state.isClosed = true
            return state.idle
        }
        for worker in idle { worker.resume(returning: nil) }
    }
}

import Calling
import Foundation
import Synchronization

/// Callers that live one journey after another while processes are killed, and repeat every call until it is answered.
final class RepeatingCallers: Sendable {
    private let lost = Mutex(0)

    /// Calls without an answer.
    var unanswered: Int { lost.withLock { $0 } }

    /// Lets so many callers live while `body` runs, and then finish what they have begun.
    /// - Parameter journey: what a caller does; gets a number that no other journey has.
    func run<Journey: Sendable>(
        _ callers: Int, _ journey: @escaping @Sendable (Int) async throws -> Journey,
        while body: () async throws -> Void
    ) async throws -> [Journey] {
        let isOver = Flag()
        return try await withThrowingTaskGroup(of: [Journey].self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var finished: [Journey] = []
                    while !isOver.isSet { finished.append(try await journey(caller + callers * finished.count)) }
                    return finished
                }
            }
            try await body()
            isOver.set()
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    /// How a call ended.
    struct Outcome {
        /// Whether it was answered with success.
        var isOK = false
        /// Whether an attempt before got no answer, and may have been carried out.
        var wasUnknown = false
    }

    /// Calls until there is an answer.
    func outcome(of call: () async throws -> Void) async throws -> Outcome {
        let deadline = ContinuousClock.now + KillPlan.patience
        var outcome = Outcome()
        while true {
            do {
                try await call()
                outcome.isOK = true
                return outcome
            } catch CallError.refused {
                return outcome
            } catch CallError.unavailable {
                outcome.wasUnknown = true
                lost.withLock { $0 += 1 }
                guard ContinuousClock.now < deadline else { throw CallError.unavailable }
                try await Task.sleep(for: .milliseconds(.random(in: 5...60)))
            }
        }
    }
}

import Synchronization

/// How many calls may be under way; who finds no slot waits in line for one.
package final class CallSlots: Sendable {
    /// Each call keeps a thread for blocking calls, and other work needs some as well.
    static let shared = CallSlots(count: 12, waiting: 256)

    private enum Outcome {
        case taken
        case full
        case over
    }

    private struct State {
        var free: Int
        var waiting: [(number: Int, caller: CheckedContinuation<Outcome, Never>)] = []
        var next = 0
    }

    private let state: Mutex<State>
    private let limit: Int

    /// - Parameters:
    ///   - count: how many slots there are.
    ///   - limit: how many callers may wait for one.
    package init(count: Int, waiting limit: Int) {
        state = Mutex(State(free: count))
        self.limit = limit
    }

    /// Takes a slot, to be given back.
    ///
    /// - Throws: if there is none in time.
    package func take(within time: Duration) async throws(OutsideProblem) {
        let number: Int? = state.withLock { state in
            guard state.free == 0 else {
                state.free -= 1
                return nil
            }
            state.next += 1
            return state.next
        }
        guard let number else { return }
        switch await wait(number, for: time) {
        case .taken: return
        case .full: throw .busy
        case .over: throw Task.isCancelled ? .cancelled : .timedOut
        }
    }

    private func wait(_ number: Int, for time: Duration) async -> Outcome {
        await withTaskGroup(of: Void.self) { group in
            let outcome = await withCheckedContinuation { caller in
                let outcome: Outcome? = state.withLock { state in
                    // One may have become free meanwhile.
                    if state.free > 0 {
                        state.free -= 1
                        return .taken
                    }
                    guard !Task.isCancelled else { return .over }
                    guard state.waiting.count < limit else { return .full }
                    state.waiting.append((number, caller))
                    return nil
                }
                if let outcome { return caller.resume(returning: outcome) }
                // Also if the caller is cancelled, which ends its sleep.
                group.addTask {
                    try? await Task.sleep(for: time)
                    self.end(number)
                }
            }
            group.cancelAll()
            return outcome
        }
    }

    /// Waiting is over.
    private func end(_ number: Int) {
        let caller = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).caller }
        }
        caller?.resume(returning: .over)
    }

    /// Gives a slot back, to the first who waits.
    package func giveBack() {
        let caller: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            if !state.waiting.isEmpty { return state.waiting.removeFirst().caller }
            state.free += 1
            return nil
        }
        caller?.resume(returning: .taken)
    }
}

import Synchronization

/// A port that is known once its listener runs.
package final class BoundPort: Sendable {
    private enum State {
        case waiting([Int: CheckedContinuation<Int, any Error>], next: Int)
        case known(Result<Int, any Error>)
    }

    private let state = Mutex(State.waiting([:], next: 0))

    /// Creates a port that isn't known yet.
    package init() {}

    /// The port, as soon as it is known.
    ///
    /// - Throws: the reason why it couldn't be opened.
    package var value: Int {
        get async throws {
            let id = state.withLock { state in
                guard case .waiting(let waiters, let next) = state else { return 0 }
                state = .waiting(waiters, next: next + 1)
                return next
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result: Result<Int, any Error>? = state.withLock { state in
                        switch state {
                        case .known(let result): return result
                        case .waiting(var waiters, let next):
                            if Task.isCancelled { return .failure(CancellationError()) }
                            waiters[id] = continuation
                            state = .waiting(waiters, next: next)
                            return nil
                        }
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                let waiter = state.withLock { state in
                    guard case .waiting(var waiters, let next) = state else {
                        return CheckedContinuation<Int, any Error>?.none
                    }
                    let waiter = waiters.removeValue(forKey: id)
                    state = .waiting(waiters, next: next)
                    return waiter
                }
                waiter?.resume(throwing: CancellationError())
            }
        }
    }

    /// Sets the port, or the reason why there is none; only the first call counts.
    package func resolve(_ result: Result<Int, any Error>) {
        let waiters = state.withLock { state in
            guard case .waiting(let waiters, _) = state else { return [CheckedContinuation<Int, any Error>]() }
            state = .known(result)
            return Array(waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}

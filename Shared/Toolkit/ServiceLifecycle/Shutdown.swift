import Synchronization

/// Whether somebody or something has been told to shut down, and who wants to hear of it.
final class Shutdown: Sendable {
    /// What the current task belongs to; nil outside every group.
    @TaskLocal static var current: Shutdown?

    private struct State {
        var hasBegun = false
        var handlers: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Calls the handlers, at the first call.
    func begin() {
        let handlers = state.withLock { state in
            state.hasBegun = true
            defer { state.handlers = [:] }
            return state.handlers
        }
        // Without the lock, because a handler may ask for anything.
        for handler in handlers.sorted(by: { $0.key < $1.key }) { handler.value() }
    }

    /// Calls a handler when the shutdown begins, or at once if it has.
    ///
    /// - Returns: what ``remove(_:)`` takes.
    func add(_ handler: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            if state.hasBegun { return nil }
            state.next += 1
            state.handlers[state.next] = handler
            return state.next
        }
        guard let number else {
            handler()
            return 0
        }
        return number
    }

    func remove(_ handler: Int) {
        _ = state.withLock { $0.handlers.removeValue(forKey: handler) }
    }

    /// Waits until the shutdown begins.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    func begun() async throws {
        let wait = Wait()
        let handler = add { wait.end(.success(())) }
        defer { remove(handler) }
        try await wait.ended()
    }
}

/// One task's wait, which ends once: by ``end(_:)`` or by cancellation.
final class Wait: Sendable {
    private enum State {
        case pending
        case waiting(CheckedContinuation<Void, any Error>)
        case ended(Result<Void, any Error>)
    }

    private let state = Mutex(State.pending)

    func end(_ result: Result<Void, any Error>) {
        let waiting: CheckedContinuation<Void, any Error>? = state.withLock { state in
            switch state {
            case .pending:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .ended(result)
                return continuation
            case .ended:
                return nil
            }
        }
        waiting?.resume(with: result)
    }

    func ended() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if case .ended(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            end(.failure(CancellationError()))
        }
    }
}

/// Waits until the service that the task belongs to is told to shut down. Outside a group, that never happens.
///
/// - Throws: `CancellationError` if the task is cancelled first.
package func gracefulShutdown() async throws {
    try await (Shutdown.current ?? Shutdown()).begun()
}

/// Runs an operation, and calls a handler if the service that the task belongs to is told to shut down meanwhile, or
/// has been already.
///
/// The handler may still be running when the operation has ended.
package func withGracefulShutdownHandler<Result>(
    operation: () async throws -> Result, onGracefulShutdown handler: @escaping @Sendable () -> Void
) async rethrows -> Result {
    guard let shutdown = Shutdown.current else { return try await operation() }
    let number = shutdown.add(handler)
    defer { shutdown.remove(number) }
    return try await operation()
}

/// Runs an operation, and calls a handler if its task is cancelled or its service is told to shut down; twice if both
/// happen.
package func withTaskCancellationOrGracefulShutdownHandler<Result>(
    operation: () async throws -> Result, onCancelOrGracefulShutdown handler: @escaping @Sendable () -> Void
) async rethrows -> Result {
    try await withTaskCancellationHandler {
        try await withGracefulShutdownHandler(operation: operation, onGracefulShutdown: handler)
    } onCancel: {
        handler()
    }
}

/// Runs an operation, and cancels it when the service that the task belongs to is told to shut down.
package func cancelWhenGracefulShutdown<Success: Sendable, Failure: Error>(
    _ operation: @escaping @Sendable () async throws(Failure) -> Success
) async throws(Failure) -> Success {
    guard let shutdown = Shutdown.current else { return try await operation() }
    let outcome: Result<Success, Failure>? = await withTaskGroup(of: Result<Success, Failure>?.self) { group in
        group.addTask {
            do throws(Failure) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
        group.addTask {
            try? await shutdown.begun()
            return nil
        }
        // Whichever comes first ends the other; the operation's outcome is waited for in any case.
        var outcome: Result<Success, Failure>?
        for await ended in group {
            group.cancelAll()
            outcome = ended ?? outcome
        }
        return outcome
    }
    guard let outcome else { preconditionFailure("the operation always ends") }
    return try outcome.get()
}

extension Task where Success == Never, Failure == Never {
    /// Whether the service that the task belongs to has been told to shut down.
    package static var isShuttingDownGracefully: Bool { Shutdown.current?.hasBegun ?? false }
}

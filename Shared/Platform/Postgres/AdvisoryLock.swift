import Dispatch

/// A session-level advisory lock, for a job that at most one process may run at a time, on whichever machine
/// (<https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS>).
package struct AdvisoryLock: Sendable {
    fileprivate let acquire: SQL
    fileprivate let release: SQL

    /// Creates a lock from its statements, such as `SELECT pg_advisory_lock(42)`.
    /// - Parameter release: also succeeds if the connection doesn't hold the lock.
    package init(acquire: SQL, release: SQL) {
        self.acquire = acquire
        self.release = release
    }
}

extension PostgresClient {
    /// Runs a job while this client, and no other, holds a lock.
    ///
    /// The lock belongs to a connection of its own, whose thread waits for as long as the job takes. If that connection
    /// breaks, the server grants the lock to the next process although the job still runs. So the job must be safe to run
    /// twice at once; the lock only avoids the duplicate work.
    ///
    /// A task that is cancelled while it waits releases the lock as soon as it is granted, at the latest after the
    /// statement timeout.
    ///
    /// - Throws: what the job throws; `PostgresError` with `.timeout` if another process holds the lock for longer than the
    ///   statement timeout; `CancellationError` if the task was cancelled before the job began.
    package func exclusively<Result: Sendable>(
        _ lock: AdvisoryLock, _ job: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let (locked, signal) = AsyncStream.makeStream(of: Void.self)
        let done = DispatchSemaphore(value: 0)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.hold(lock, announcing: signal, until: done) }
            var iterator = locked.makeAsyncIterator()
            guard await iterator.next() != nil else {
                // Either the lock wasn't granted, and its task throws the reason, or this task was cancelled, and the lock may
                // still be granted.
                done.signal()
                try await group.next()
                throw CancellationError()
            }
            defer { done.signal() }
            return try await job()
        }
    }

    /// Holds a lock on a dedicated connection. The signal yields when the lock is granted, and ends if it isn't.
    private func hold(
        _ lock: AdvisoryLock, announcing signal: AsyncStream<Void>.Continuation, until done: DispatchSemaphore
    ) async throws {
        defer { signal.finish() }
        try await session { session in
            // The lock may be granted at the very moment of the timeout, and the connection would keep it.
            defer { if (try? session.execute(lock.release)) == nil { session.abandon() } }
            try session.execute(lock.acquire)
            signal.yield()
            done.wait()
        }
    }
}

import Dispatch

/// A lock that the server keeps for a connection, for jobs of which there may be one at a time on all machines together.
package struct AdvisoryLock: Sendable {
    fileprivate let take: SQL
    fileprivate let giveBack: SQL

    /// A lock by its statements, such as `SELECT pg_advisory_lock(42)`.
    /// - Parameter giveBack: succeeds, too, when the connection doesn't hold the lock.
    package init(taking take: SQL, givingBack giveBack: SQL) {
        self.take = take
        self.giveBack = giveBack
    }
}

extension PostgresClient {
    /// Runs a job while this client, and no other, holds a lock.
    ///
    /// The lock belongs to a connection that is lent for as long as the job takes; its thread waits. If that connection
    /// breaks, the server gives the lock to the next in line although the job goes on, so a job must be one that two may
    /// do at once without harm; the lock spares them the work.
    ///
    /// A task that is cancelled while it waits gives the lock back when it comes, at the latest after the time that a
    /// statement may take.
    ///
    /// - Throws: what the job throws; `PostgresError` with `.timeout` if somebody else holds the lock for longer than a
    ///   statement may take; `CancellationError` if the task was cancelled before the job began.
    package func exclusively<Result: Sendable>(
        _ lock: AdvisoryLock, _ job: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let (locked, signal) = AsyncStream.makeStream(of: Void.self)
        let done = DispatchSemaphore(value: 0)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.hold(lock, announcing: signal, until: done) }
            var iterator = locked.makeAsyncIterator()
            guard await iterator.next() != nil else {
                // The lock wasn't to be had, and its task says why; or this task was cancelled, and the lock may come yet.
                done.signal()
                try await group.next()
                throw CancellationError()
            }
            defer { done.signal() }
            return try await job()
        }
    }

    /// Holds a lock on a connection of its own; that it has it, or won't get it, is what it announces.
    private func hold(
        _ lock: AdvisoryLock, announcing signal: AsyncStream<Void>.Continuation, until done: DispatchSemaphore
    ) async throws {
        defer { signal.finish() }
        try await session { session in
            // A lock may come in the very moment in which the wait for it times out, and would stay.
            defer { if (try? session.execute(lock.giveBack)) == nil { session.abandon() } }
            try session.execute(lock.take)
            signal.yield()
            done.wait()
        }
    }
}

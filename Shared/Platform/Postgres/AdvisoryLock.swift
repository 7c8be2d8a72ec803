import Dispatch

/// A session-level advisory lock, for a job that at most one process may run at a time, on whichever machine
/// (<https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS>), and the epochs of those who held it.
///
/// The lock keeps others from work that is done already. It protects nothing: it is in one server's memory, so it is gone after a
/// failover, and of two servers that both believe to be the primary each grants it. The epoch is a row, which is replicated; an act that
/// mustn't happen twice is preceded by ``Lead/confirm()``.
package struct AdvisoryLock: Sendable {
    fileprivate let acquire: SQL
    fileprivate let release: SQL
    fileprivate let begin: SQL
    fileprivate let confirm: @Sendable (Int64) -> SQL

    /// Creates a lock from its statements.
    /// - Parameters:
    ///   - acquire: waits for the lock, such as `SELECT pg_advisory_lock(42)`.
    ///   - release: also succeeds if the connection doesn't hold the lock.
    ///   - begin: adds one to the epoch, and returns it as `bigint`.
    ///   - confirm: writes to the epoch's row, and returns true; it returns no row, or NULL, if there is a later epoch.
    package init(acquire: SQL, release: SQL, begin: SQL, confirm: @escaping @Sendable (Int64) -> SQL) {
        self.acquire = acquire
        self.release = release
        self.begin = begin
        self.confirm = confirm
    }
}

extension AdvisoryLock {
    /// A lock without epochs, for what bears that another process overtakes it in a failover.
    package init(acquire: SQL, release: SQL) {
        self.init(acquire: acquire, release: release, begin: "SELECT 0::bigint") { _ in "SELECT false" }
    }
}

/// The lead of a job, from when the lock was granted until another process has it.
package struct Lead: Sendable {
    /// Counts who has led the job.
    package let epoch: Int64
    private let write: @Sendable () async throws -> Void

    fileprivate init(epoch: Int64, write: @escaping @Sendable () async throws -> Void) {
        self.epoch = epoch
        self.write = write
    }

    /// Succeeds while no other process leads the job.
    ///
    /// It is a write that is committed. With synchronous replication a standby has it then, and that standby isn't led by another
    /// primary: so a primary that was replaced, and doesn't know it, confirms nothing. What follows at once may still be overtaken, by
    /// as much as one call takes.
    ///
    /// - Throws: ``LostLead``; `PostgresError`.
    package func confirm() async throws { try await write() }
}

/// Another process leads the job. This one must change nothing more.
package struct LostLead: Error, Sendable, CustomStringConvertible {
    /// The same for each job.
    package let description = "Another process has taken over this job."

    /// Creates the error.
    package init() {}
}

extension PostgresClient {
    /// Runs a job while this client, and no other, holds a lock.
    ///
    /// The lock belongs to a connection of its own, whose thread waits for as long as the job takes. If that connection breaks, the
    /// server grants the lock to the next process. The job is cancelled then, at the latest after ``lookAfter`` and the statement timeout.
    /// What it does until then must be safe to do twice, or be preceded by ``Lead/confirm()``.
    ///
    /// A task that is cancelled while it waits releases the lock as soon as it is granted, at the latest after the
    /// statement timeout.
    ///
    /// - Throws: what the job throws; `PostgresError` with `.timeout` if another process holds the lock for longer than the
    ///   statement timeout, or another if the lock's connection breaks; `CancellationError` if the task was cancelled before the job
    ///   began.
    package func exclusively<Result: Sendable>(
        _ lock: AdvisoryLock, _ job: @escaping @Sendable (Lead) async throws -> Result
    ) async throws -> Result {
        let (granted, signal) = AsyncStream.makeStream(of: Int64.self)
        let done = DispatchSemaphore(value: 0)
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await self.hold(lock, announcing: signal, until: done)
                return nil
            }
            var iterator = granted.makeAsyncIterator()
            guard let epoch = await iterator.next() else {
                // Either the lock wasn't granted, and its task throws the reason, or this task was cancelled, and the lock may
                // still be granted.
                done.signal()
                _ = try await group.next()
                throw CancellationError()
            }
            let lead = Lead(epoch: epoch) { try await self.confirm(lock, epoch) }
            group.addTask { try await job(lead) }
            defer { done.signal() }
            // The job's end, or that of the lock's connection.
            guard let result = try await group.next() ?? nil else { throw CancellationError() }
            return result
        }
    }

    /// How often the holder of a lock looks whether its connection is still there.
    private static let lookAfter: DispatchTimeInterval = .seconds(2)

    /// Holds a lock on a dedicated connection. The signal yields the epoch when the lock is granted, and ends if it isn't.
    private func hold(
        _ lock: AdvisoryLock, announcing signal: AsyncStream<Int64>.Continuation, until done: DispatchSemaphore
    ) async throws {
        defer { signal.finish() }
        try await session { session in
            // The lock may be granted at the very moment of the timeout, and the connection would keep it.
            defer { if (try? session.execute(lock.release)) == nil { session.abandon() } }
            try session.execute(lock.acquire)
            guard let epoch = try session.row(lock.begin, as: Int64.self) else { throw LostLead() }
            signal.yield(epoch)
            while done.wait(timeout: .now() + Self.lookAfter) == .timedOut { try session.execute("SELECT 1") }
        }
    }

    private func confirm(_ lock: AdvisoryLock, _ epoch: Int64) async throws {
        let isCurrent = try await session { try $0.row(lock.confirm(epoch), as: Bool?.self) }
        guard isCurrent ?? nil == true else { throw LostLead() }
    }
}

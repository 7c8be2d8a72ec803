package import FoundationEssentials
package import Logging
package import Metrics
package import Running

/// The newest value of a document of the identity provider.
///
/// It is read at start, every five minutes, and when a caller needs a newer one. However many callers wait, there is one read
/// at a time. A failed read changes nothing; a counter counts it.
package actor Refreshed<Value: Sendable> {
    private let read: @Sendable () async throws -> Value
    private let clock: WallClock
    private let failures: Counter
    private var value: Value?
    private var last: Attempt?
    /// When reads began that callers needed, of the last minute.
    private var needs: [Date] = []
    /// Callers that wait for the read in progress; nil if there is none.
    private var waiting: [CheckedContinuation<Void, Never>]?

    private struct Attempt {
        let begun: Date
        var problem: (any Error)?
    }

    /// The seconds between two reads.
    private static var interval: TimeInterval { 300 }
    /// The most reads in a minute that callers need: strangers may invent names of keys.
    private static var mostNeeded: Int { 10 }
    /// Below the job's shortest retry delay, so that each of its runs reads, except one right at start.
    private static var jobDistance: TimeInterval { 25 }

    /// Creates a value that has yet to be read.
    ///
    /// - Parameter read: reads the document once; its errors must not quote it.
    package init(clock: WallClock, failures: Counter, read: @escaping @Sendable () async throws -> Value) {
        self.read = read
        self.clock = clock
        self.failures = failures
    }

    /// The newest value; nil until one could be read.
    package var current: Value? { value }

    /// Reads the value, unless a read has begun within this many seconds: then its outcome counts.
    ///
    /// - Throws: the reason why there is no newer value.
    package func refresh(unlessWithin seconds: TimeInterval = 0) async throws {
        if waiting != nil {
            await join()
        } else if !isRecent(within: seconds) {
            await readOnce()
        }
        try Task.checkCancellation()
        if let problem = last?.problem { throw problem }
    }

    /// Reads the value for a caller that the current one doesn't serve, ten times a minute at most.
    ///
    /// What a read began to fetch before the caller came may be older than what the caller has. Such a read is awaited, and if it
    /// doesn't serve either, another one follows.
    ///
    /// - Throws: the reason why there is no newer value.
    package func refresh(until serves: @Sendable (Value) -> Bool) async throws {
        if waiting != nil {
            await join()
            if let value, serves(value) { return }
        }
        if waiting != nil {
            await join()
        } else if takeNeed() {
            await readOnce()
        }
        try Task.checkCancellation()
        if let problem = last?.problem { throw problem }
    }

    private func join() async {
        await withCheckedContinuation { waiting?.append($0) }
    }

    private func takeNeed() -> Bool {
        let now = clock.now
        needs.removeAll { !(0..<60).contains(now.timeIntervalSince($0)) }
        guard needs.count < Self.mostNeeded else { return false }
        needs.append(now)
        return true
    }

    private func isRecent(within seconds: TimeInterval) -> Bool {
        guard let begun = last?.begun else { return false }
        return (0..<seconds).contains(clock.now.timeIntervalSince(begun))
    }

    private func readOnce() async {
        last = Attempt(begun: clock.now)
        waiting = []
        do {
            value = try await read()
        } catch {
            last?.problem = error
            // If the caller was cancelled meanwhile, the provider didn't fail.
            if !Task.isCancelled { failures.increment() }
        }
        let others = waiting ?? []
        waiting = nil
        for other in others { other.resume() }
    }

    /// Refreshes the value while the service runs.
    ///
    /// - Parameters:
    ///   - name: of the job.
    ///   - metadata: describes a value in the log.
    package nonisolated func refreshing(
        _ name: String, in runtime: ServiceRuntime,
        metadata: @escaping @Sendable (Value) -> Logger.Metadata = { _ in [:] }
    ) -> RecurringJob {
        // Jitter, so that replicas started together don't keep reading together.
        RecurringJob(name, in: runtime) { now in
            now.addingTimeInterval(Self.interval * .random(in: 0.9...1.1))
        } work: { _ in
            try await self.refresh(unlessWithin: Self.jobDistance)
            return await self.current.map(metadata) ?? [:]
        }
    }
}

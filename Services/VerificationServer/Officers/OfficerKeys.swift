import FoundationEssentials
import Logging
import Metrics
import Running

/// The newest key set that was read from the identity provider.
///
/// It is read at start, every five minutes, and when a token names a key that isn't in it, at most once a minute however
/// many such tokens arrive. A failed read changes nothing; `officer_keys_failures_total` counts it.
actor OfficerKeys {
    private let source: OfficerKeySource
    private let clock: WallClock
    private let failures: Counter
    private var keys: OfficerKeySet?
    private var last: Attempt?
    /// Callers that wait for the read in progress; nil if there is none.
    private var waiting: [CheckedContinuation<Void, Never>]?

    private struct Attempt {
        let begun: Date
        var problem: (any Error)?
    }

    private static let interval: TimeInterval = 300
    /// Below the job's shortest retry delay, so that each of its runs reads, except one right at start.
    private static let jobDistance: TimeInterval = 25
    private static let tokenDistance: TimeInterval = 60

    /// Creates an empty key set.
    init(_ source: OfficerKeySource, clock: WallClock, failures: Counter) {
        self.source = source
        self.clock = clock
        self.failures = failures
    }

    /// The set for a token whose header names this key; nil while none could be read.
    func set(for kid: String) async -> OfficerKeySet? {
        if let keys, keys.has(kid) { return keys }
        do {
            try await refresh(unlessWithin: Self.tokenDistance)
        } catch {
            // It is counted, and the job logs it; the current set is used.
        }
        return keys
    }

    /// Reads the set, unless a read has begun within this many seconds: then its outcome counts.
    func refresh(unlessWithin seconds: TimeInterval = 0) async throws {
        if waiting != nil {
            await withCheckedContinuation { waiting?.append($0) }
        } else if !isRecent(within: seconds) {
            await read()
        }
        try Task.checkCancellation()
        if let problem = last?.problem { throw problem }
    }

    private func isRecent(within seconds: TimeInterval) -> Bool {
        guard let begun = last?.begun else { return false }
        return (0..<seconds).contains(clock.now.timeIntervalSince(begun))
    }

    private func read() async {
        last = Attempt(begun: clock.now)
        waiting = []
        do {
            keys = try await source.read()
        } catch {
            last?.problem = error
            // If the caller was cancelled meanwhile, the provider didn't fail.
            if !Task.isCancelled { failures.increment() }
        }
        let others = waiting ?? []
        waiting = nil
        for other in others { other.resume() }
    }

    /// Refreshes the set while the service runs.
    nonisolated func refreshing(in runtime: ServiceRuntime) -> RecurringJob {
        // Jitter, so that replicas started together don't keep reading together.
        RecurringJob("officer-keys", in: runtime) { now in
            now.addingTimeInterval(Self.interval * .random(in: 0.9...1.1))
        } work: { _ in
            try await self.refresh(unlessWithin: Self.jobDistance)
            return ["keys": "\(await self.keys?.count ?? 0)"]
        }
    }
}

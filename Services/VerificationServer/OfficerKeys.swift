import FoundationEssentials
import Logging
import Metrics
import Running

/// The newest key set that could be had from the identity provider.
///
/// It is read at start, every five minutes, and when a token names a key that isn't in it: then at most once a minute,
/// however many such tokens come. A reading that fails changes nothing; `officer_keys_failures_total` counts it.
actor OfficerKeys {
    private let source: OfficerKeySource
    private let clock: WallClock
    private let failures: Counter
    private var keys: OfficerKeySet?
    private var last: Attempt?
    /// Those who wait for the reading that is under way; nil if none is.
    private var waiting: [CheckedContinuation<Void, Never>]?

    private struct Attempt {
        let begun: Date
        var problem: (any Error)?
    }

    private static let interval: TimeInterval = 300
    /// Below the job's shortest delay before a repetition, so that each of its runs reads, except one right at start.
    private static let jobDistance: TimeInterval = 25
    private static let tokenDistance: TimeInterval = 60

    /// Nothing is read yet.
    init(_ source: OfficerKeySource, clock: WallClock, failures: Counter) {
        self.source = source
        self.clock = clock
        self.failures = failures
    }

    /// The set to judge a token by whose header names this key; nil as long as none could be read.
    func set(for kid: String) async -> OfficerKeySet? {
        if let keys, keys.has(kid) { return keys }
        do {
            try await refresh(unlessWithin: Self.tokenDistance)
        } catch {
            // Counted, and logged by the job; the token is judged by what there is.
        }
        return keys
    }

    /// Reads the set, unless a reading has begun within so many seconds: then that one's outcome counts.
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
            // Whoever asked may have gone away meanwhile: that is not the provider's failure.
            if !Task.isCancelled { failures.increment() }
        }
        let others = waiting ?? []
        waiting = nil
        for other in others { other.resume() }
    }

    /// Keeps the set fresh for as long as the service runs.
    nonisolated func refreshing(in runtime: ServiceRuntime) -> RecurringJob {
        // Replicas that were started together don't ask together for ever.
        RecurringJob("officer-keys", in: runtime) { now in
            now.addingTimeInterval(Self.interval * .random(in: 0.9...1.1))
        } work: { _ in
            try await self.refresh(unlessWithin: Self.jobDistance)
            return ["keys": "\(await self.keys?.count ?? 0)"]
        }
    }
}

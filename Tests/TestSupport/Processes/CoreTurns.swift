import Glibc
package import Loop

/// How long cores were busy without a break. A request that arrives meanwhile waits for it.
package enum CoreTurns {
    /// Runs `work` while a timer ticks every millisecond on each core.
    ///
    /// Time is the processor time of the core's thread: other tests beside this one, or a slow machine, don't count.
    /// - Returns: the most that a core computed between two ticks.
    package static func longest(
        on cores: [Core] = Cores.shared.all, during work: () async throws -> Void
    ) async throws -> Duration {
        var tickers: [(Core, LocalTo<Ticker>)] = []
        for core in cores {
            tickers.append((core, await core.submit { LocalTo(Ticker(on: core), on: core) }))
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        var longest = Duration.zero
        for (core, ticker) in tickers {
            longest = max(longest, await core.submit { ticker.value.stop() })
        }
        try result.get()
        return longest
    }
}

private final class Ticker {
    private let core: Core
    private var last = Ticker.processorTime
    private var longest: Int64 = 0
    private var next: ScheduledWork?

    init(on core: Core) {
        self.core = core
        schedule()
    }

    private func schedule() {
        next = core.at(.now() + .milliseconds(1)) { [weak self] in
            self?.look()
            self?.schedule()
        }
    }

    private func look() {
        let now = Self.processorTime
        longest = max(longest, now - last)
        last = now
    }

    func stop() -> Duration {
        next?.cancel()
        look()
        return .nanoseconds(longest)
    }

    /// Of this thread, in nanoseconds.
    private static var processorTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

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

    /// How long this thread has computed.
    package static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

private final class Ticker {
    private let core: Core
    private var last = CoreTurns.processorTime
    private var longest = Duration.zero
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
        let now = CoreTurns.processorTime
        longest = max(longest, now - last)
        last = now
    }

    func stop() -> Duration {
        next?.cancel()
        look()
        return longest
    }
}

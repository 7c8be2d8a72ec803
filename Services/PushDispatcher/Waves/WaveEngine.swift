import FoundationEssentials
import Logging
import Postgres
import Running
import Schema
import ServiceLifecycle

/// Runs waves, one at a time and page by page, so that no registration is missed and at most one page is repeated.
///
/// The end of a page is recorded before the page is sent, and its results afterwards. A process that takes over the wave of a
/// dead leader repeats the unfinished page with the same ids. One page is in memory, plus the next one while that page is sent.
struct WaveEngine: Sendable {
    let store: WaveStore
    let vault: TokenVault
    let schedule: WaveSchedule
    let clock: WallClock
    /// While the service's clock is ahead of it, no wave begins or expires.
    let databaseClock: DatabaseClock
    /// Sends at most ``WavePage/size`` pushes with their expiration, and returns an outcome for each.
    let send: @Sendable ([SilentPush], Date) async -> [PushOutcome]
    let metrics: WaveMetrics
    let logger: Logger
    /// The timeout of a page, including retries: at the lowest rate, one push a second, it takes a thousand seconds.
    var patience = Duration.seconds(1800)
    /// The delay before pushes are sent again that found APNs unreachable.
    var recovery = Duration.seconds(30)

    /// The result of a run.
    struct Report: Sendable {
        /// The wave as it was last read.
        let wave: Wave
        /// Nil if it was left because the process shuts down; the next process takes it over.
        let outcome: WaveOutcome?

        var metadata: Logger.Metadata {
            [
                "outcome": "\(outcome?.rawValue ?? "left")", "registrations": "\(wave.size)", "sent": "\(wave.sent)",
                "accepted": "\(wave.accepted)", "removed": "\(wave.removed)",
            ]
        }
    }

    /// Runs a wave to its end if one is due, or was left.
    /// - Returns: nil if none is due, or if another process leads it.
    /// - Throws: ``ClockAhead`` if one is due by a clock that is ahead.
    func runDue() async throws -> Report? {
        let times = try await store.times(asOf: clock.now)
        guard times.isRunning || schedule.next(after: times) <= clock.now else { return nil }
        try await databaseClock.require(clock.now)
        let led: Result<Report?, any Error>
        do {
            led = try await store.exclusively { await take() }
        } catch let error as PostgresError where error.code == .timeout {
            return nil
        }
        return try led.get()
    }

    private func take() async -> Result<Report?, any Error> {
        let leader = LeaderID.fresh()
        do {
            if try await store.expire(at: clock.now) > 0 { metrics.end(.expired) }
            guard let wave = try await store.take(as: leader, at: clock.now, by: schedule) else { return .success(nil) }
            metrics.begin(wave)
            let report = try await lead(wave, as: leader)
            if let outcome = report.outcome {
                try await store.end(report.wave, outcome, at: clock.now, as: leader)
                metrics.end(outcome)
                if outcome == .unaccepted { logger.error("the wave woke nobody", metadata: report.metadata) }
            }
            return .success(report)
        } catch {
            return .failure(error)
        }
    }

    // MARK: Page by page

    private func lead(_ wave: Wave, as leader: LeaderID) async throws -> Report {
        var wave = wave
        var breaker = Breaker()
        var undelivered = 0
        var next = try await page(of: wave)
        while let page = next {
            guard clock.now < wave.expiresAt else { return Report(wave: wave, outcome: .expired) }
            guard !isEnding else { return Report(wave: wave, outcome: nil) }
            if wave.pageEnd != page.end { try await store.intend(page.end, in: wave, as: leader) }

            let begun = clock.now
            let after = wave.after(page)
            async let following = prefetched(after: page, of: after)
            let report = try await report(of: page, in: wave)
            metrics.count(page, report)
            undelivered += report.givenUp + page.unreadable
            if page.unreadable > 0 {
                logger.error("push tokens can't be decrypted", metadata: ["tokens": "\(page.unreadable)"])
            }
            if let refusal = refusal(in: report, of: wave) {
                logger.error("APNs refuses pushes: the wave stops", metadata: ["reason": "\(refusal.rawValue)"])
                return Report(wave: wave, outcome: .refused)
            }
            guard report.unreached.isEmpty else {
                return Report(wave: wave, outcome: clock.now < wave.expiresAt ? nil : .expired)
            }
            if let refusal = report.refusals[.sandbox] {
                logger.error(
                    "the APNs sandbox refuses pushes: the wave continues", metadata: ["reason": "\(refusal.rawValue)"])
            }
            let verdict = breaker.judge(report.tally)
            guard verdict != .stop else {
                logger.error(
                    "APNs rejects too many tokens: the wave stops and deletes nothing",
                    metadata: ["wrong": "\(report.tally.wrong)", "answers": "\(report.tally.answers)"])
                return Report(wave: wave, outcome: .breaker)
            }
            // Rows read over a minute ago may be outdated: phones that have deregistered must get no push.
            let prefetched = try await clock.now < begun.addingTimeInterval(60) ? following : nil
            wave = after
            wave.pageEnd = prefetched?.end
            wave.accepted += report.accepted.count
            let removed = try await store.complete(
                page, report, isBelieved: verdict == .believe, next: wave.pageEnd, in: wave, as: leader)
            wave.removed += removed
            metrics.countRemoved(removed)
            guard !page.isLast else {
                let hasWoken = wave.accepted > 0 || undelivered == 0
                return Report(wave: wave, outcome: hasWoken ? .finished : .unaccepted)
            }
            if let prefetched {
                next = prefetched
            } else {
                guard await isTime(schedule.nextPage(of: wave)) else { return Report(wave: wave, outcome: nil) }
                next = try await self.page(of: wave)
            }
        }
        return Report(wave: wave, outcome: .finished)
    }

    /// Why the wave can't continue, if it can't.
    ///
    /// A refusal by the sandbox stops only a wave in which nobody was woken: anybody can register a token as one of a development
    /// build, and Apple's newer keys are valid for one of the two services.
    private func refusal(in report: PageReport, of wave: Wave) -> APNsReason? {
        if let refusal = report.refusals[.production] { return refusal }
        return wave.accepted == 0 && report.accepted.isEmpty ? report.refusals[.sandbox] : nil
    }

    /// Sends a page.
    ///
    /// Pushes that find APNs unreachable are sent again until it is reachable, the wave's time is over, or the process shuts
    /// down, so that no phone misses the wave.
    /// - Throws: ``APNsUnreachable`` if no push was sent, so that another process may try; ``UnresponsiveClient``. The page is
    ///   then repeated.
    private func report(of page: WavePage, in wave: Wave) async throws -> PageReport {
        var outcomes = try await outcomes(of: page.pushes.map(\.push), in: wave)
        while true {
            // The outcomes of a cancelled client are meaningless; the page is repeated.
            try Task.checkCancellation()
            let report = PageReport(page, outcomes, at: clock.now)
            guard !report.unreached.isEmpty, report.refusals[.production] == nil else { return report }
            guard report.tally.answers > 0 else { throw APNsUnreachable() }
            logger.warning("APNs can't be reached: the wave waits", metadata: ["pushes": "\(report.unreached.count)"])
            guard await isTime(clock.now.addingTimeInterval(recovery / .seconds(1))), clock.now < wave.expiresAt else {
                return report
            }
            let again = try await self.outcomes(of: report.unreached.map { page.pushes[$0].push }, in: wave)
            for (number, outcome) in zip(report.unreached, again) { outcomes[number] = outcome }
        }
    }

    /// Sends pushes. A client that doesn't respond within the timeout is cancelled, so that a defect can't block the waves.
    /// - Throws: ``UnresponsiveClient``.
    private func outcomes(of pushes: [SilentPush], in wave: Wave) async throws -> [PushOutcome] {
        try await withThrowingTaskGroup(of: [PushOutcome]?.self) { group in
            group.addTask { await send(pushes, wave.expiresAt) }
            group.addTask {
                try await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            guard let outcomes = try await group.next() ?? nil else { throw UnresponsiveClient() }
            return outcomes
        }
    }

    /// The page whose sending began, or else the next one.
    private func page(of wave: Wave) async throws -> WavePage? {
        if let end = wave.pageEnd {
            let rows = try await store.rows(after: wave.position, through: end)
            if let page = WavePage(rows, of: wave, opening: vault, isRest: true) { return page }
        }
        return WavePage(try await store.rows(after: wave.position), of: wave, opening: vault)
    }

    /// The next page, unless it has to wait: rows that are read early may become outdated.
    private func prefetched(after page: WavePage, of wave: Wave) async throws -> WavePage? {
        guard !page.isLast, schedule.nextPage(of: wave) <= clock.now else { return nil }
        return WavePage(try await store.rows(after: page.end), of: wave, opening: vault)
    }

    // MARK: Shutdown

    /// The current page is finished; no other is begun.
    private var isEnding: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    /// Waits for an instant.
    /// - Returns: false if the process shuts down before.
    private func isTime(_ instant: Date) async -> Bool {
        await cancelWhenGracefulShutdown { try? await clock.sleep(until: instant) }
        return !isEnding
    }

    /// Waits for some seconds by the clock, unless the process shuts down.
    func pause(_ seconds: TimeInterval) async {
        _ = await isTime(clock.now.addingTimeInterval(seconds))
    }
}

extension Wave {
    /// The wave after a page.
    fileprivate func after(_ page: WavePage) -> Wave {
        var wave = self
        wave.position = page.end
        wave.pageEnd = nil
        wave.sent += page.pushes.count
        return wave
    }
}

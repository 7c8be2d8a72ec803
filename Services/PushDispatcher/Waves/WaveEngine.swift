import FoundationEssentials
import Logging
import Postgres
import Running
import Schema
import ServiceLifecycle

/// Leads waves: one at a time, page by page, so that no registration is missed and at most a page is repeated.
///
/// Before a page is sent its end is written down; after it, what came of it. Whoever takes over a wave whose leader died
/// repeats what lies between, under the same names. One page is in memory, and the next while that is sent.
struct WaveEngine: Sendable {
    let store: WaveStore
    let vault: TokenVault
    let schedule: WaveSchedule
    let clock: WallClock
    /// No wave begins, or is called expired, by a clock that is ahead of it.
    let databaseClock: DatabaseClock
    /// Sends at most ``WavePage/size`` pushes, with their expiration, and gives an outcome for each.
    let send: @Sendable ([SilentPush], Date) async -> [PushOutcome]
    let metrics: WaveMetrics
    let logger: Logger
    /// How long a page may take, its repetitions included: at the lowest rate, one push a second, it takes a thousand seconds.
    var patience = Duration.seconds(1800)
    /// How long to wait before pushes that reached nobody are sent again.
    var recovery = Duration.seconds(30)

    /// What became of a wave.
    struct Report: Sendable {
        /// As it was last seen.
        let wave: Wave
        /// Nil if it was left because the process ends; the next one takes it over.
        let outcome: WaveOutcome?

        var metadata: Logger.Metadata {
            [
                "outcome": "\(outcome?.rawValue ?? "left")", "registrations": "\(wave.size)", "sent": "\(wave.sent)",
                "accepted": "\(wave.accepted)", "removed": "\(wave.removed)",
            ]
        }
    }

    /// Leads a wave to its end if one is due, or was left.
    /// - Returns: nil if none is, or if another process leads it.
    /// - Throws: ``ClockAhead`` when one is due by a clock that is ahead.
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
            if page.unreadable > 0 {
                logger.error("Push tokens could not be opened", metadata: ["tokens": "\(page.unreadable)"])
            }
            if let refusal = refusal(in: report, of: wave) {
                logger.error("APNs refuses pushes, the wave stops", metadata: ["reason": "\(refusal.rawValue)"])
                return Report(wave: wave, outcome: .refused)
            }
            guard report.unreached.isEmpty else {
                return Report(wave: wave, outcome: clock.now < wave.expiresAt ? nil : .expired)
            }
            if let refusal = report.refusals[.sandbox] {
                logger.error(
                    "APNs's sandbox refuses pushes, the wave goes on", metadata: ["reason": "\(refusal.rawValue)"])
            }
            let verdict = breaker.judge(report.tally)
            guard verdict != .stop else {
                logger.error(
                    "APNs calls too many tokens wrong, the wave stops and deletes nothing",
                    metadata: ["wrong": "\(report.tally.wrong)", "answers": "\(report.tally.answers)"])
                return Report(wave: wave, outcome: .breaker)
            }
            // What was read a minute ago may have changed: phones that want no pushes any more get none.
            let prefetched = try await clock.now < begun.addingTimeInterval(60) ? following : nil
            wave = after
            wave.pageEnd = prefetched?.end
            wave.accepted += report.accepted.count
            let removed = try await store.complete(
                page, report, isBelieved: verdict == .believe, next: wave.pageEnd, in: wave, as: leader)
            wave.removed += removed
            metrics.countRemoved(removed)
            guard !page.isLast else { return Report(wave: wave, outcome: .finished) }
            if let prefetched {
                next = prefetched
            } else {
                guard await isTime(schedule.nextPage(of: wave)) else { return Report(wave: wave, outcome: nil) }
                next = try await self.page(of: wave)
            }
        }
        return Report(wave: wave, outcome: .finished)
    }

    /// Why the wave can't go on, if it can't.
    ///
    /// What the sandbox refuses stops only a wave in which nobody was woken: anybody can register a token as that of a development
    /// build, and Apple's newer keys are for one of the two services.
    private func refusal(in report: PageReport, of wave: Wave) -> APNsReason? {
        if let refusal = report.refusals[.production] { return refusal }
        return wave.accepted == 0 && report.accepted.isEmpty ? report.refusals[.sandbox] : nil
    }

    /// Sends a page, and what found no connection again until it finds one, the wave's time is over, or the process ends: an APNs
    /// that can't be reached costs nobody the wave.
    /// - Throws: ``UnreachableService`` when nobody at all was reached, so that another process may try; ``SilentClient``. The
    ///   page is then repeated.
    private func report(of page: WavePage, in wave: Wave) async throws -> PageReport {
        var outcomes = try await outcomes(of: page.pushes.map(\.push), in: wave)
        while true {
            // Outcomes of a client that was cut off say nothing; the page is repeated.
            try Task.checkCancellation()
            let report = PageReport(page, outcomes, at: clock.now)
            guard !report.unreached.isEmpty, report.refusals[.production] == nil else { return report }
            guard report.tally.answers > 0 else { throw UnreachableService() }
            logger.warning("APNs can't be reached, the wave waits", metadata: ["pushes": "\(report.unreached.count)"])
            guard await isTime(clock.now.addingTimeInterval(recovery / .seconds(1))), clock.now < wave.expiresAt else {
                return report
            }
            let again = try await self.outcomes(of: report.unreached.map { page.pushes[$0].push }, in: wave)
            for (number, outcome) in zip(report.unreached, again) { outcomes[number] = outcome }
        }
    }

    /// Sends pushes. A client that is silent for longer than all its own deadlines is cut off, so that no defect of it can
    /// hold the waves up for ever.
    /// - Throws: ``SilentClient``.
    private func outcomes(of pushes: [SilentPush], in wave: Wave) async throws -> [PushOutcome] {
        try await withThrowingTaskGroup(of: [PushOutcome]?.self) { group in
            group.addTask { await send(pushes, wave.expiresAt) }
            group.addTask {
                try await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            guard let outcomes = try await group.next() ?? nil else { throw SilentClient() }
            return outcomes
        }
    }

    /// The page that somebody began to send, or else the next one.
    private func page(of wave: Wave) async throws -> WavePage? {
        if let end = wave.pageEnd {
            let rows = try await store.rows(after: wave.position, through: end)
            if let page = WavePage(rows, of: wave, opening: vault, isRest: true) { return page }
        }
        return WavePage(try await store.rows(after: wave.position), of: wave, opening: vault)
    }

    /// The page after one that is being sent, unless it isn't to be sent at once: what is read early may have changed.
    private func prefetched(after page: WavePage, of wave: Wave) async throws -> WavePage? {
        guard !page.isLast, schedule.nextPage(of: wave) <= clock.now else { return nil }
        return WavePage(try await store.rows(after: page.end), of: wave, opening: vault)
    }

    // MARK: The end of the process

    /// A page that is being sent is finished; no other is begun.
    private var isEnding: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    /// Waits for an instant.
    /// - Returns: false if the process ends before.
    private func isTime(_ instant: Date) async -> Bool {
        let seconds = instant.timeIntervalSince(clock.now)
        if seconds > 0 { await pause(.seconds(seconds)) }
        return !isEnding
    }
}

extension Wave {
    /// The wave when a page is dealt with.
    fileprivate func after(_ page: WavePage) -> Wave {
        var wave = self
        wave.position = page.end
        wave.pageEnd = nil
        wave.sent += page.pushes.count
        return wave
    }
}

/// Waits, unless the process ends.
func pause(_ duration: Duration) async {
    await cancelWhenGracefulShutdown { try? await Task.sleep(for: duration) }
}

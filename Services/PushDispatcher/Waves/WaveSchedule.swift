import FoundationEssentials
import Running

/// When waves begin, and how fast they go.
struct WaveSchedule: Sendable {
    /// Seconds from a wave's beginning to the next, if nothing is announced; also for how long its pushes count.
    let interval: TimeInterval
    /// Seconds in which no phone is woken twice. Where they are no fewer than the interval, when waves begin depends on nothing
    /// that is announced, and so tells nothing about uploads. Apple advises at most two or three silent pushes an hour.
    let pause: TimeInterval
    /// Seconds over which a wave is spread, so that phones don't all fetch at once.
    let spread: TimeInterval

    /// From `waves.interval` (7200), `waves.pause` (7200) and `waves.spread` (300).
    init(_ settings: Settings) throws {
        interval =
            try settings.duration("waves.interval", default: .seconds(7200), in: .seconds(60) ... .seconds(86_400))
            / .seconds(1)
        pause =
            try settings.duration("waves.pause", default: .seconds(7200), in: .zero ... .seconds(86_400)) / .seconds(1)
        spread =
            try settings.duration("waves.spread", default: .seconds(300), in: .zero ... .seconds(43_200)) / .seconds(1)
        guard spread <= interval / 2 else {
            throw settings.wrong("waves.spread", "must be at most half of waves.interval")
        }
    }

    init(interval: TimeInterval, pause: TimeInterval, spread: TimeInterval) {
        self.interval = interval
        self.pause = pause
        self.spread = spread
    }

    /// When the next wave is due: the interval after the last, or at once if one is planned, but never within the pause.
    func next(after times: WaveTimes) -> Date {
        let scheduled = times.lastStart?.addingTimeInterval(interval) ?? .distantPast
        let wanted = min(scheduled, times.planned ?? .distantFuture)
        return max(wanted, times.lastEnd?.addingTimeInterval(pause) ?? .distantPast)
    }

    /// When a wave's next page may be sent.
    func nextPage(of wave: Wave) -> Date {
        guard wave.size > 0 else { return wave.startedAt }
        let share = min(1, Double(wave.sent) / Double(wave.size))
        return wave.startedAt.addingTimeInterval(spread * share)
    }
}

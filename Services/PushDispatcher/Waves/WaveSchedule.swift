import FoundationEssentials
import Running

/// When waves begin, and how fast they proceed.
struct WaveSchedule: Sendable {
    /// Seconds from the start of a wave to the next, if nothing is announced; also the lifetime of its pushes.
    let interval: TimeInterval
    /// Seconds in which no phone is woken twice.
    ///
    /// If it is at least the interval, the start of a wave doesn't depend on announcements, and so reveals nothing about
    /// uploads. Apple advises at most two or three silent pushes an hour
    /// (<https://developer.apple.com/documentation/usernotifications/pushing-background-updates-to-your-app>).
    let pause: TimeInterval
    /// Seconds over which a wave is spread, so that phones don't all download at once.
    let spread: TimeInterval

    /// When the next wave is due: an interval after the last, or at once if one is planned, but never within the pause.
    func next(after times: WaveTimes) -> Date {
        let scheduled = times.lastStart?.addingTimeInterval(interval) ?? .distantPast
        let wanted = min(scheduled, times.planned ?? .distantFuture)
        return max(wanted, times.lastEnd?.addingTimeInterval(pause) ?? .distantPast)
    }

    /// When the next page of a wave may be sent.
    func nextPage(of wave: Wave) -> Date {
        guard wave.size > 0 else { return wave.startedAt }
        let share = min(1, Double(wave.sent) / Double(wave.size))
        return wave.startedAt.addingTimeInterval(spread * share)
    }
}

extension WaveSchedule {
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
}

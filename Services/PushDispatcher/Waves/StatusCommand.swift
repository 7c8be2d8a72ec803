import ArgumentParser
import FoundationEssentials
import Postgres
import Running
import Schema

/// `push-dispatcher status`.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the running wave with its progress, or how the last one ended.",
        discussion: "On a terminal, a progress bar follows a running wave to its end.")

    @OptionGroup var options: ServiceOptions

    private static let look = Duration.milliseconds(500)

    func run() async throws {
        let runtime = try ServiceRuntime(name: "push-dispatcher", options: options)
        try await ServiceDatabase.once(for: runtime, of: .pushDispatcher) { database in
            try await Self.show(
                WaveStore(database), schedule: WaveSchedule(runtime.configuration), clock: runtime.clock,
                progress: .onTerminal, say: Console.say)
        }
    }

    /// Follows a running wave, then prints the status.
    static func show(
        _ store: WaveStore, schedule: WaveSchedule, clock: WallClock, progress: ProgressBar,
        say: (String) -> Void
    ) async throws {
        var last = try await store.last()
        var shown = 0
        if let wave = last, wave.outcome == nil, progress.isShown {
            progress.begin("wave", total: wave.size)
            while let latest = last, latest.id == wave.id {
                progress.advance(by: latest.sent - shown)
                shown = latest.sent
                guard latest.outcome == nil else { break }
                try await Task.sleep(for: look)
                last = try await store.last()
            }
            progress.finish()
        }
        let status = try await store.status(asOf: clock.now)
        for line in status.lines(schedule: schedule, at: clock.now) { say(line) }
    }
}

/// The status of the waves, for an operator.
struct WaveStatus: Sendable, Equatable {
    /// The most recent wave.
    struct Last: Sendable, Equatable {
        let id: WaveID
        let startedAt: Date
        let endedAt: Date?
        /// Nil while it runs.
        let outcome: WaveOutcome?
        let size: Int
        let sent: Int
        let accepted: Int
        let removed: Int
    }

    let last: Last?
    let times: WaveTimes
    /// Registrations by kind.
    let phones: Int
    let androidPhones: Int

    func lines(schedule: WaveSchedule, at now: Date) -> [String] {
        var lines = ["\(phones) phones are registered for pushes, and \(androidPhones) that are never pushed to."]
        if let last {
            let counts =
                "\(last.sent) of \(last.size) sent, \(last.accepted) accepted, \(last.removed) registrations removed"
            let start = last.startedAt.formatted(.iso8601)
            switch last.outcome {
            case nil: lines.append("A wave has been running since \(start): \(counts).")
            case .finished: lines.append("The last wave began \(start) and is finished: \(counts).")
            case .unaccepted:
                lines.append("The last wave began \(start) and woke nobody: \(counts).")
                lines.append("APNs accepted no push; the log and `apns_rejections_total` name what it answered.")
            case .expired: lines.append("The last wave began \(start) and did not finish in time: \(counts).")
            case .refused:
                lines.append("The last wave began \(start) and stopped because APNs refuses our pushes: \(counts).")
                lines.append("The log names the reason; `vigil push test-token` explains it.")
            case .breaker:
                lines.append(
                    "The last wave began \(start) and stopped because APNs called too many tokens wrong: \(counts).")
                lines.append("Look at apns.topic and at the hosts before anything else.")
            }
        } else {
            lines.append("There has been no wave in the last 7 days.")
        }
        let next = schedule.next(after: times)
        if !times.isRunning {
            lines.append(
                next <= now
                    ? "The next wave is due now."
                    : "The next wave is due \(next.formatted(.iso8601))"
                        + (times.planned == nil ? "." : ": something new was announced."))
        }
        return lines
    }
}

package import FoundationEssentials
package import Logging
import Metrics
import ServiceLifecycle

/// Work that runs at startup and then on a schedule.
///
/// A failed run is retried after 30 to 60 seconds. No work is lost, because every job is idempotent. Shutdown cancels a run in
/// progress.
///
/// Metrics, labelled `job`: `job_last_success_seconds` (the time of the last success, since the epoch) and
/// `job_failures_total`. Alert on the age of the first for jobs that must make progress.
package struct RecurringJob: Service {
    private let name: String
    private let runtime: ServiceRuntime
    private let due: @Sendable (Date) -> Date
    private let work: @Sendable (Date) async throws -> Logger.Metadata

    /// The minimum delay before a failed run is retried, in seconds; the jitter adds up to as much again.
    private static let retryDelay: Double = 30

    /// - Parameters:
    ///   - name: for the log and the metrics.
    ///   - due: returns when the next run is due, given the current time.
    ///   - work: does one run, given the current time; its result is logged.
    package init(
        _ name: String, in runtime: ServiceRuntime, due: @escaping @Sendable (Date) -> Date,
        work: @escaping @Sendable (Date) async throws -> Logger.Metadata
    ) {
        self.name = name
        self.runtime = runtime
        self.due = due
        self.work = work
    }

    package func run() async throws {
        let lastSuccess = Gauge(label: "job_last_success_seconds", dimensions: [("job", name)])
        let failures = Counter(label: "job_failures_total", dimensions: [("job", name)])
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let now = runtime.clock.now
                let next: Date
                do {
                    let done = try await work(now)
                    runtime.logger.info("job done", metadata: done.merging(["job": "\(name)"]) { $1 })
                    lastSuccess.record(now.timeIntervalSince1970)
                    next = due(now)
                } catch is CancellationError {
                    return
                } catch {
                    let reason = (error as? any OperatorProblem)?.description ?? "\(type(of: error))"
                    runtime.logger.error(
                        "job failed; retrying", metadata: ["job": "\(name)", "reason": "\(reason)"])
                    failures.increment()
                    next = runtime.clock.now.addingTimeInterval(Self.retryDelay * Double.random(in: 1...2))
                }
                // A run that became due meanwhile starts at once, but at least a second later.
                try? await runtime.clock.sleep(until: max(next, runtime.clock.now.addingTimeInterval(1)))
            }
        }
    }
}

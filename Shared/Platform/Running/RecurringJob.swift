package import FoundationEssentials
package import Logging
import Metrics
import ServiceLifecycle

/// Work that is due again and again: at start, and then whenever the clock says.
///
/// A run that fails is repeated after half a minute to a minute; what it was to do is not lost, because every job is one
/// that may be repeated. It ends between two runs, or by the cancellation of the one that is under way.
///
/// Metrics, labelled `job`: `job_last_success_seconds` (when, since the epoch) and `job_failures_total`. An alert for what
/// must progress is one on the age of the first.
package struct RecurringJob: Service {
    private let name: String
    private let runtime: ServiceRuntime
    private let due: @Sendable (Date) -> Date
    private let work: @Sendable (Date) async throws -> Logger.Metadata

    /// Seconds until a failed run is repeated, and up to as much again.
    private static let retryDelay: Double = 30

    /// - Parameters:
    ///   - name: for the log and the metrics.
    ///   - due: when the next run is due, given the present.
    ///   - work: one run, given the present; what it returns is logged.
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
                        "job failed and is repeated", metadata: ["job": "\(name)", "reason": "\(reason)"])
                    failures.increment()
                    next = runtime.clock.now.addingTimeInterval(Self.retryDelay * Double.random(in: 1...2))
                }
                // What fell due while the work went on is done at once, but never without a breath.
                try? await Task.sleep(for: .seconds(max(1, next.timeIntervalSince(runtime.clock.now))))
            }
        }
    }
}

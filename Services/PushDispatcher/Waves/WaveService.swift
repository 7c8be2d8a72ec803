import FoundationEssentials
import Logging
import Metrics
import Running
import ServiceLifecycle

/// Checks every two seconds whether a wave is due, and runs it.
///
/// Unlike a ``RecurringJob`` it isn't cancelled on shutdown: the current page is finished, so that nothing is repeated.
struct WaveService: Service {
    let engine: WaveEngine
    let logger: Logger

    private static let look: TimeInterval = 2
    private static let retryDelay: TimeInterval = 30

    func run() async throws {
        let lastSuccess = Gauge(label: "job_last_success_seconds", dimensions: [("job", "wave")])
        let failures = Counter(label: "job_failures_total", dimensions: [("job", "wave")])
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            do {
                if let report = try await engine.runDue() {
                    logger.info("job done", metadata: report.metadata.merging(["job": "wave"]) { $1 })
                    if report.outcome == .finished {
                        lastSuccess.record(engine.clock.now.timeIntervalSince1970)
                    }
                }
                await engine.pause(Self.look)
            } catch is CancellationError {
                return
            } catch {
                let reason = (error as? any OperatorProblem)?.description ?? "\(type(of: error))"
                logger.error("job failed; retrying", metadata: ["job": "wave", "reason": "\(reason)"])
                failures.increment()
                await engine.pause(Self.retryDelay)
            }
        }
    }
}

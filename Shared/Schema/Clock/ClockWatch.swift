import FoundationEssentials
import Logging
import Metrics
package import Running
import ServiceLifecycle

/// Holds a service's clock against the database's every minute, so that an alert sees a wrong one before it costs anything.
///
/// Metric: `clock_ahead_seconds`, whole seconds, negative when the clock is behind. It depends on the two clocks alone, and on no
/// request.
package struct ClockWatch: Service {
    private let clock: DatabaseClock
    private let lead: Gauge
    private let logger: Logger

    private static let interval = Duration.seconds(60)

    /// The watch over a service's clock.
    package init(_ clock: DatabaseClock, _ runtime: ServiceRuntime) {
        self.clock = clock
        lead = Gauge(label: "clock_ahead_seconds", factory: runtime.metrics)
        logger = runtime.logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await look()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// One comparison. A database that doesn't answer is readiness's business.
    package func look() async {
        guard let exact = try? await clock.lead() else { return }
        let seconds = Int(clamping: Int64(exact.rounded()))
        lead.record(seconds)
        let metadata: Logger.Metadata = ["seconds": "\(abs(seconds))"]
        if exact > DatabaseClock.tolerance {
            logger.error("the clock is ahead of the database's", metadata: metadata)
        } else if exact < -DatabaseClock.tolerance {
            logger.error("the clock is behind the database's", metadata: metadata)
        }
    }
}

import FoundationEssentials
import Logging
import Metrics
package import Running
import ServiceLifecycle

/// Compares a service's clock with the database's every minute, so that an alert reports a wrong clock before it does damage.
///
/// Metric: `clock_ahead_seconds`, whole seconds, negative when the clock is behind. It depends on the two clocks and on no
/// request.
package struct ClockWatch: Service {
    private let clock: DatabaseClock
    private let lead: Gauge
    private let logger: Logger

    private static let interval = Duration.seconds(60)

    /// Creates a watch for a service's clock.
    package init(_ clock: DatabaseClock, _ runtime: ServiceRuntime) {
        self.clock = clock
        lead = Gauge(label: "clock_ahead_seconds", factory: runtime.metrics)
        logger = runtime.logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await compare()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Compares once. The readiness check reports a database that doesn't answer.
    package func compare() async {
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

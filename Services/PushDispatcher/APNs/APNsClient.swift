import Calling
package import FoundationEssentials
package import Logging
package import Loop
package import Metrics
package import Running
import ServiceLifecycle
import Synchronization
import TLS

/// The client for APNs: takes silent pushes and returns the outcome of each.
///
/// It manages connections, retries with backoff, provider tokens and timeouts. It runs on one core, with libnghttp2, and
/// creates neither a task nor a promise for each push. The README has the measurements.
package final class APNsClient: Service, TLSUser {
    /// The maximum number of pushes of one call.
    package static let windowSize = 1000

    private let core: Core
    private let dispatch: LocalTo<APNsDispatch>
    private let credentials: APNsCredentials
    private let windows = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - metrics: for its counters.
    ///   - logger: for the reasons why pushes aren't accepted.
    ///   - random: for the jitter of retries.
    package init(
        _ plan: APNsPlan, on core: Core = Cores.shared.next(), clock: WallClock,
        metrics: any MetricsFactory, logger: Logger,
        random: sending any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.core = core
        credentials = plan.credentials
        dispatch = LocalTo(
            APNsDispatch(
                on: core, plan: plan, clock: clock, metrics: APNsMetrics(metrics),
                refusals: RefusalLog(peer: "apns", logger),
                random: random), on: core)
    }

    /// The client certificate, if the client authenticates with one.
    package var watchedTLS: (any WatchedTLS)? {
        switch credentials.tls {
        case .fixed: nil
        case .reloaded(let tls): tls
        }
    }

    /// Sends pushes and returns when the outcome of each is known, after retries.
    ///
    /// It is meant for one call at a time; a second one waits for the first. A cancelled call returns at once and gives up open
    /// pushes; so does a call after ``close()``.
    ///
    /// - Parameters:
    ///   - pushes: at most ``windowSize``.
    ///   - expiration: until when APNs may store a push for a phone that is off; no retry begins after it.
    /// - Returns: one outcome for each push, in the same order.
    package func send(_ pushes: [SilentPush], expiration: Date) async -> [PushOutcome] {
        precondition(pushes.count <= Self.windowSize, "a window has at most 1,000 pushes")
        guard !pushes.isEmpty else { return [] }
        let id = windows.add(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                core.execute { [dispatch] in
                    dispatch.value.begin(id, pushes, expiration: expiration) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            core.execute { [dispatch] in dispatch.value.cancel(id) }
        }
    }

    /// Gives up pushes in progress and closes every connection.
    package func close() async {
        await withCheckedContinuation { continuation in
            core.execute { [dispatch] in dispatch.value.close { continuation.resume() } }
        }
    }

    /// Waits for shutdown, then closes all connections.
    package func run() async throws {
        try? await gracefulShutdown()
        await close()
    }
}

package import FoundationEssentials
package import Metrics
package import NIOCore
import NIOPosix
package import Running
import ServiceLifecycle
import Synchronization
import TLS

/// The way to Apple's service: silent pushes in, what became of each out.
///
/// Connections, repetitions with their pauses, provider tokens and deadlines are its own affair. It works on one event loop,
/// by libnghttp2; there is neither a task nor a promise for each push. The README says what was measured.
package final class APNsClient: Service, TLSUser {
    /// The most pushes of one call.
    package static let windowSize = 1000

    private let loop: any EventLoop
    private let dispatch: NIOLoopBoundBox<APNsDispatch>
    private let credentials: APNsCredentials
    private let windows = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - metrics: where it counts.
    ///   - random: for the pauses between repetitions.
    package init(
        _ plan: APNsPlan, on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, clock: WallClock,
        metrics: any MetricsFactory,
        random: sending any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        loop = group.next()
        credentials = plan.credentials
        dispatch = NIOLoopBoundBox.makeBoxSendingValue(
            APNsDispatch(on: loop, plan: plan, clock: clock, metrics: APNsMetrics(metrics), random: random),
            eventLoop: loop)
    }

    /// The certificate that it shows, if that is how the service knows us.
    package var watchedTLS: (any WatchedTLS)? {
        switch credentials.tls {
        case .fixed: nil
        case .reloaded(let tls): tls
        }
    }

    /// Sends pushes and waits until it is known what became of each, however often they had to be repeated.
    ///
    /// One call at a time is meant; a second one waits for the first. A cancelled call returns at once, with what is open
    /// given up; so does one after ``close()``.
    ///
    /// - Parameters:
    ///   - pushes: at most ``windowSize``.
    ///   - expiration: how long the service may keep a push for a phone that is off; no repetition begins after it.
    /// - Returns: as many outcomes, in the same order.
    package func send(_ pushes: [SilentPush], expiration: Date) async -> [PushOutcome] {
        precondition(pushes.count <= Self.windowSize, "a window has at most 1,000 pushes")
        guard !pushes.isEmpty else { return [] }
        let id = windows.add(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { [dispatch] in
                    dispatch.value.begin(id, pushes, expiration: expiration) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            loop.execute { [dispatch] in dispatch.value.cancel(id) }
        }
    }

    /// Gives up what is under way and closes every connection.
    package func close() async {
        await withCheckedContinuation { continuation in
            loop.execute { [dispatch] in dispatch.value.close { continuation.resume() } }
        }
    }

    /// Waits for the end, then closes all connections.
    package func run() async throws {
        try? await gracefulShutdown()
        await close()
    }
}

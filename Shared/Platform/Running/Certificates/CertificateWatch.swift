package import Logging
package import Metrics
import ServiceLifecycle
import Synchronization

/// Checks the TLS files of a service's listeners and clients every ten seconds, so that a new certificate or authority needs no
/// restart.
///
/// A broken or half-written file changes nothing: it is logged once, counted at every check (`tls_reload_failures_total`), and
/// read again. `tls_certificate_expiry_seconds` is the time when the certificate in use expires. Contents are compared, not
/// modification times, so a file may be rewritten or replaced, and a link may be moved.
package final class CertificateWatch: Service {
    private struct User {
        let tls: any WatchedTLS
        let expiry: Gauge
        let failures: Counter
    }

    private let users = Mutex<[User]>([])
    private let metrics: any MetricsFactory
    private let logger: Logger

    private static let interval: Duration = .seconds(10)

    /// Creates a watch without files.
    ///
    /// - Parameter metrics: the factory of its gauges and counters.
    package init(metrics: any MetricsFactory, logger: Logger) {
        self.metrics = metrics
        self.logger = logger
    }

    /// Adds files to watch.
    package func add(_ files: [any WatchedTLS]) {
        let added = files.map { tls in
            let user = User(
                tls: tls,
                expiry: Gauge(label: "tls_certificate_expiry_seconds", dimensions: [tls.label], factory: metrics),
                failures: Counter(label: "tls_reload_failures_total", dimensions: [tls.label], factory: metrics))
            user.expiry.record(tls.expiry)
            return user
        }
        users.withLock { $0 += added }
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while true {
                do {
                    try await Task.sleep(for: Self.interval)
                } catch {
                    return
                }
                await self.check()
            }
        }
    }

    /// Checks all files once. Afterwards the newest valid ones are in use.
    package func check() async {
        for user in users.withLock({ $0 }) {
            // Validity is checked against the machine's clock, as TLS itself does.
            let looked = await user.tls.check(at: WallClock.system.now)
            let who = [user.tls.label.0: Logger.MetadataValue.string(user.tls.label.1)]
            switch looked {
            case .unchanged:
                break
            case .taken:
                user.expiry.record(user.tls.expiry)
                logger.info("new TLS files are in use", metadata: who)
            case .refused(let flaw, let isNew):
                user.failures.increment()
                if isNew {
                    logger.error(
                        "new TLS files are not in order; the old ones stay in use",
                        metadata: who.merging(["flaw": "\(flaw)"]) { $1 })
                }
            }
        }
    }
}

import Calling
import HTTPContract
import Logging
import Metrics
import PushAPI
import Running
import TLS

/// Announces new packages to the push dispatcher, so that it wakes phones.
///
/// A failed call is counted and not repeated: the dispatcher wakes phones on a schedule as well.
struct Announcement: Sendable {
    private let dispatcher: ServiceClient
    private let failures: Counter
    private let logger: Logger

    /// The client, which runs beside the publisher.
    var service: ServiceClient { dispatcher }

    /// From `push.url` and `tls.*`; nil without a dispatcher.
    init?(_ runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        guard settings.optionalString("push.url") != nil else { return nil }
        dispatcher = try ServiceClient(
            base: settings.url("push.url"), tls: try TLSFiles(settings), name: "push-dispatcher",
            logger: runtime.logger)
        failures = Counter(label: "announcement_failures_total", factory: runtime.metrics)
        logger = runtime.logger
    }

    func send() async {
        do {
            _ = try await dispatcher.call(PushAPI.announce, NoContent())
        } catch {
            failures.increment()
            logger.warning("announcement to the push dispatcher failed")
        }
    }
}

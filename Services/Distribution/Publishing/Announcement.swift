import Calling
import HTTPContract
import Logging
import Metrics
import PushAPI
import Running
import TLS

/// Tells the push dispatcher that something new is out, so that it wakes phones that sleep.
///
/// It is a courtesy: the dispatcher has a schedule of its own, so a call that fails is counted and not repeated.
struct Announcement: Sendable {
    private let dispatcher: ServiceClient
    private let failures: Counter
    private let logger: Logger

    /// The client, to run it beside the publisher.
    var service: ServiceClient { dispatcher }

    /// From `push.url` and `tls.*`; nil when there is no dispatcher.
    init?(_ runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        guard settings.optionalString("push.url") != nil else { return nil }
        dispatcher = try ServiceClient(
            base: settings.url("push.url"), tls: try TLSFiles(settings), name: "push-dispatcher")
        failures = Counter(label: "announcement_failures_total", factory: runtime.metrics)
        logger = runtime.logger
    }

    func send() async {
        do {
            _ = try await dispatcher.call(PushAPI.announce, NoContent())
        } catch {
            failures.increment()
            logger.warning("The push dispatcher could not be told that something new is out")
        }
    }
}

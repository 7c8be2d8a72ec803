import FoundationEssentials
import Logging
import Running

/// Keeps this country's subscription to callbacks, from `callback.url` and `callback.id`.
///
/// The gateway deletes a subscription after six failures, half an hour, so this looks every hour.
struct CallbackRegistration: Sendable {
    private let client: GatewayClient
    let subscription: GatewayClient.Subscription
    private let metrics: FederationMetrics
    private let failing: FailingCalls
    private let logger: Logger

    /// Nil without `callback.url`: then batches are found by looking only.
    init?(
        _ settings: Settings, for exchange: GatewayExchange, logger: Logger? = nil
    ) throws(ConfigurationProblem) {
        guard settings.optionalString("callback.url") != nil else { return nil }
        let url = try settings.url("callback.url")
        let id = settings.string("callback.id", default: "vigil")
        guard url.hasPrefix("https:"), url.utf8.count <= 256, !url.contains("?") else {
            throw settings.wrong("callback.url", "must begin with https:, have at most 256 characters, and no query")
        }
        guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy({ $0.isIdentifier }) else {
            throw settings.wrong("callback.id", "must be 1 to 32 letters, digits and hyphens")
        }
        subscription = GatewayClient.Subscription(callbackId: id, url: url)
        client = exchange.client
        metrics = exchange.metrics
        failing = exchange.failing
        self.logger = logger ?? exchange.runtime.logger
    }

    /// Registers unless that was done. Other subscriptions of this country stay: they may be another installation's.
    ///
    /// What the gateway refuses now, it refuses in a minute, too, so that isn't thrown: the next look is in an hour.
    /// - Returns: whether it had to register.
    func run(at now: Date) async throws -> Bool {
        do {
            let isThere = try await failing.noting(.callback, at: now) {
                let isThere = try await client.subscriptions().contains(subscription)
                if !isThere { try await client.subscribe(subscription) }
                return isThere
            }
            metrics.show(isRegistered: true)
            return !isThere
        } catch {
            metrics.show(isRegistered: false)
            guard case GatewayClient.Problem.refused = error else { throw error }
            logger.error(
                "the gateway refuses the callback; looking again in an hour", metadata: ["reason": "\(error)"])
            return false
        }
    }
}

extension UInt8 {
    /// A letter, a digit or a hyphen.
    fileprivate var isIdentifier: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

import FoundationEssentials
import Logging
import Running

/// Keeps this country's subscription to callbacks, from `callback.url` and `callback.id`.
///
/// The gateway deletes a subscription after six failures, half an hour, so this looks every hour.
struct CallbackRegistration: Sendable {
    let client: GatewayClient
    let subscription: GatewayClient.Subscription
    let metrics: FederationMetrics

    /// Nil without `callback.url`: then batches are found by looking only.
    init?(_ settings: Settings, client: GatewayClient, metrics: FederationMetrics) throws(ConfigurationProblem) {
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
        self.client = client
        self.metrics = metrics
    }

    /// Registers unless that was done. Other subscriptions of this country stay: they may be another installation's.
    /// - Returns: whether it had to register.
    func run() async throws -> Bool {
        do {
            let isThere = try await client.subscriptions().contains(subscription)
            if !isThere { try await client.subscribe(subscription) }
            metrics.show(isRegistered: true)
            return !isThere
        } catch {
            metrics.show(isRegistered: false)
            throw error
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

import Metrics
import Running

/// The portal's own metrics. None names an officer, a kind of code or an authority.
struct PortalMetrics: Sendable {
    /// How an attempt to sign in ended.
    enum SignIn: String, CaseIterable {
        case signedIn = "signed_in"
        /// The identity provider said no.
        case refused
        /// Something wasn't in order.
        case failed
        case providerAway = "provider_away"
        /// The identity provider doesn't accept the portal.
        case misconfigured
        case limited
    }

    /// A call to the identity provider.
    enum ProviderCall: String, CaseIterable {
        case code, refresh
        /// Of an authorization request (RFC 9126).
        case push
    }

    /// How a call to the identity provider ended.
    enum ProviderOutcome: String, CaseIterable {
        case answered
        /// The code or the refresh token isn't accepted, or not any more.
        case refused
        /// The portal isn't accepted, or what it asks.
        case clientRefused = "client_refused"
        case unavailable, malformed
    }

    private let signIns: [SignIn: Counter]
    private let calls: [ProviderCall: [ProviderOutcome: Counter]]
    /// Failed reads of the discovery document and of the keys.
    let discoveryFailures: Counter
    let keyFailures: Counter
    /// From the form to the redirect to its code, with the call to the verification server.
    let codeSeconds: Timer
    /// Open sessions of all replicas, counted every hour.
    let sessions: Gauge

    init(_ runtime: ServiceRuntime) {
        let factory = runtime.metrics
        signIns = Dictionary(
            uniqueKeysWithValues: SignIn.allCases.map {
                ($0, Counter(label: "portal_sign_ins_total", dimensions: [("outcome", $0.rawValue)], factory: factory))
            })
        calls = Dictionary(
            uniqueKeysWithValues: ProviderCall.allCases.map { call in
                let counters = ProviderOutcome.allCases.map { outcome in
                    let dimensions = [("call", call.rawValue), ("outcome", outcome.rawValue)]
                    return (
                        outcome, Counter(label: "portal_provider_calls_total", dimensions: dimensions, factory: factory)
                    )
                }
                return (call, Dictionary(uniqueKeysWithValues: counters))
            })
        discoveryFailures = Counter(label: "officer_discovery_failures_total", factory: factory)
        keyFailures = Counter(label: "officer_keys_failures_total", factory: factory)
        codeSeconds = Timer(label: "portal_code_seconds", factory: factory)
        sessions = Gauge(label: "portal_sessions", factory: factory)
    }

    func count(_ outcome: SignIn) { signIns[outcome]?.increment() }

    func count(_ call: ProviderCall, _ outcome: ProviderOutcome) { calls[call]?[outcome]?.increment() }
}

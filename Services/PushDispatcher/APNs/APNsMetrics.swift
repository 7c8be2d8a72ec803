import Metrics

/// Metrics of the APNs client. Labels are closed lists; none contains a token.
struct APNsMetrics: Sendable {
    private let outcomes: [String: Counter]
    private let rejections: [APNsReason: Counter]
    private let retries: [RetryCause: Counter]
    private let connects: Counter
    private let failedConnects: Counter
    private let connections: [PushLane: Gauge]
    private let streamLimits: [PushLane: Gauge]
    private let rate: Gauge

    init(_ factory: any MetricsFactory) {
        outcomes = Dictionary(
            uniqueKeysWithValues: ["accepted", "unregistered", "wrong_token", "given_up", "refused", "unreachable"].map
            {
                ($0, Counter(label: "apns_pushes_total", dimensions: [("outcome", $0)], factory: factory))
            })
        rejections = Dictionary(
            uniqueKeysWithValues: APNsReason.allCases.map {
                ($0, Counter(label: "apns_rejections_total", dimensions: [("reason", $0.rawValue)], factory: factory))
            })
        retries = Dictionary(
            uniqueKeysWithValues: RetryCause.allCases.map {
                ($0, Counter(label: "apns_retries_total", dimensions: [("cause", $0.rawValue)], factory: factory))
            })
        connects = Counter(label: "apns_connects_total", factory: factory)
        failedConnects = Counter(label: "apns_failed_connects_total", factory: factory)
        connections = Self.gauges("apns_connections", factory)
        streamLimits = Self.gauges("apns_stream_limit", factory)
        rate = Gauge(label: "apns_rate_limit", factory: factory)
    }

    private static func gauges(_ label: String, _ factory: any MetricsFactory) -> [PushLane: Gauge] {
        Dictionary(
            uniqueKeysWithValues: PushLane.allCases.map { lane in
                let dimensions = [
                    ("environment", lane.environment.rawValue), ("kind", lane.isQuarantine ? "quarantine" : "regular"),
                ]
                return (lane, Gauge(label: label, dimensions: dimensions, factory: factory))
            })
    }

    /// Counts the outcomes of a window.
    func count(_ results: [PushOutcome]) {
        var counts: [String: Int] = [:]
        for result in results { counts[Self.name(of: result), default: 0] += 1 }
        for (name, count) in counts { outcomes[name]?.increment(by: count) }
    }

    func rejected(_ reason: APNsReason) { rejections[reason]?.increment() }
    func retried(_ cause: RetryCause) { retries[cause]?.increment() }
    func connecting() { connects.increment() }
    func connectingFailed() { failedConnects.increment() }
    func rate(_ perSecond: Double) { rate.record(perSecond) }

    /// - Parameter limit: how many streams APNs allows on all of them together.
    func connections(_ count: Int, limit: Int, in lane: PushLane) {
        connections[lane]?.record(count)
        streamLimits[lane]?.record(limit)
    }

    private static func name(of outcome: PushOutcome) -> String {
        switch outcome {
        case .accepted: "accepted"
        case .unregistered: "unregistered"
        case .wrongToken: "wrong_token"
        case .givenUp: "given_up"
        case .refused: "refused"
        case .unreachable: "unreachable"
        }
    }
}

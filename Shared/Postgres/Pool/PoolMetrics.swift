import Metrics

/// What the operator sees of a pool. The only label is the pool's name.
struct PoolMetrics: Sendable {
    private let inUse: Gauge
    private let waiting: Gauge
    private let wait: Metrics.Timer
    private let connectFailures: Counter

    init(pool: String) {
        let labels = [("pool", pool)]
        inUse = Gauge(label: "db_pool_in_use", dimensions: labels)
        waiting = Gauge(label: "db_pool_waiting", dimensions: labels)
        wait = Metrics.Timer(label: "db_pool_wait_seconds", dimensions: labels)
        connectFailures = Counter(label: "db_connect_failures_total", dimensions: labels)
    }

    /// Called within the pool's lock: outside, an older value could overwrite a newer one and stay.
    func record(inUse count: Int, waiting line: Int) {
        inUse.record(count)
        waiting.record(line)
    }

    func recordWait(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        wait.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    func countConnectFailure() {
        connectFailures.increment()
    }
}

import Metrics

/// The metrics of a pool. The only label is the pool's name.
///
/// The number of leased connections isn't among them: it would change with every single request. Callers wait only when all
/// connections are leased, and failures to connect don't depend on a request, so these two are published at once. The histogram
/// of waits counts every use of the pool, so ``PrometheusMetrics`` publishes it by the hour.
struct PoolMetrics: Sendable {
    private let waiting: Gauge
    private let wait: Metrics.Timer
    private let connectFailures: Counter

    init(pool: String) {
        let labels = [("pool", pool)]
        waiting = Gauge(label: "db_pool_waiting", dimensions: labels)
        wait = Metrics.Timer(label: "db_pool_wait_seconds", dimensions: labels)
        connectFailures = Counter(label: "db_connect_failures_total", dimensions: labels)
    }

    /// Called within the pool's lock: outside, an older value could overwrite a newer one and stay.
    func record(waiting count: Int) {
        waiting.record(count)
    }

    func recordWait(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        wait.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    func countConnectFailure() {
        connectFailures.increment()
    }
}

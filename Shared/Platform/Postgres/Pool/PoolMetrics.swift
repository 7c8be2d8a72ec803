import Metrics

/// What the operator sees of a pool. The only label is the pool's name.
///
/// How many connections are lent isn't among it: that would move with a single request, at its very moment. Callers wait
/// only when all are lent, and connecting fails whatever is asked, so these two may be seen at once; the histogram of
/// waits counts every use of the pool, so ``PrometheusMetrics`` publishes it by the hour.
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
    func record(waiting line: Int) {
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

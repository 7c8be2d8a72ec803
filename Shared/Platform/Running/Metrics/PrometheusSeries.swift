import Metrics
import Synchronization

/// A counter of events.
final class PrometheusCounter: CounterHandler, PrometheusSeries {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func write(name: String, labels: String, to text: inout String) {
        text += PrometheusText.line(name, labels, String(value.load(ordering: .relaxed)))
    }
}

/// A counter of fractional amounts, such as seconds.
final class PrometheusSum: FloatingPointCounterHandler, PrometheusSeries {
    private let value = Mutex(0.0)

    func increment(by amount: Double) {
        value.withLock { $0 += amount }
    }

    func write(name: String, labels: String, to text: inout String) {
        text += PrometheusText.line(name, labels, PrometheusText.number(value.withLock { $0 }))
    }
}

/// A value that goes up and down.
final class PrometheusGauge: MeterHandler, RecorderHandler, PrometheusSeries {
    private let value = Mutex(0.0)

    func set(_ new: Double) { value.withLock { $0 = new } }
    func record(_ new: Int64) { set(Double(new)) }
    func record(_ new: Double) { set(new) }

    func write(name: String, labels: String, to text: inout String) {
        text += PrometheusText.line(name, labels, PrometheusText.number(value.withLock { $0 }))
    }
}

/// Counts values by size, in fixed buckets.
///
/// The sum counts each value as its bucket's upper bound, so it reveals no more than the buckets do.
final class PrometheusHistogram: TimerHandler, RecorderHandler, PrometheusSeries {
    /// Bounds for durations, in seconds, up to the deadline of a handler.
    ///
    /// Below a twentieth of a second, real requests and dummy requests may differ, so there are no smaller buckets.
    static let seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Bounds for sizes and counts.
    static let quantities: [Double] = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 100_000, 1_000_000]

    private let bounds: [Double]
    private let state: Mutex<State>

    private struct State {
        /// One count for each bound, and one for larger values.
        var counts: [Int]
        var sum = 0.0
    }

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += bucket < bounds.count ? bounds[bucket] : value
        }
    }

    func write(name: String, labels: String, to text: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        let separator = labels.isEmpty ? "" : ","
        var total = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? PrometheusText.number(bounds[index]) : "+Inf"
            text += PrometheusText.line("\(name)_bucket", "\(labels)\(separator)le=\"\(bound)\"", String(total))
        }
        text += PrometheusText.line("\(name)_sum", labels, PrometheusText.number(sum))
        text += PrometheusText.line("\(name)_count", labels, String(total))
    }
}

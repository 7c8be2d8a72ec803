import Foundation
import Metrics
import Running
import Testing

@Suite struct PrometheusMetricsTests {
    @Test("the exposition is what Prometheus reads")
    func golden() {
        let metrics = PrometheusMetrics()
        Counter(label: "uploads_total", dimensions: [("kind", "keys"), ("outcome", "stored")], factory: metrics)
            .increment(by: 3)
        Counter(label: "uploads_total", dimensions: [("kind", "keys"), ("outcome", "refused")], factory: metrics)
            .increment()
        FloatingPointCounter(label: "busy_seconds_total", factory: metrics).increment(by: 0.25)
        Meter(label: "pool_size", factory: metrics).set(7)
        Gauge(label: "temperature", dimensions: [("place", "a\"b\\c\nd")], factory: metrics).record(-1.5)
        let recorder = Recorder(label: "batch.size", factory: metrics)
        recorder.record(1)
        recorder.record(40)
        recorder.record(5_000_000)
        #expect(
            metrics.text == """
                # TYPE batch_size histogram
                batch_size_bucket{le="1"} 1
                batch_size_bucket{le="3"} 1
                batch_size_bucket{le="10"} 1
                batch_size_bucket{le="30"} 1
                batch_size_bucket{le="100"} 2
                batch_size_bucket{le="300"} 2
                batch_size_bucket{le="1000"} 2
                batch_size_bucket{le="3000"} 2
                batch_size_bucket{le="10000"} 2
                batch_size_bucket{le="100000"} 2
                batch_size_bucket{le="1000000"} 2
                batch_size_bucket{le="+Inf"} 3
                batch_size_sum 5000101
                batch_size_count 3
                # TYPE busy_seconds_total counter
                busy_seconds_total 0.25
                # TYPE pool_size gauge
                pool_size 7
                # TYPE temperature gauge
                temperature{place="a\\"b\\\\c\\nd"} -1.5
                # TYPE uploads_total counter
                uploads_total{kind="keys",outcome="refused"} 1
                uploads_total{kind="keys",outcome="stored"} 3

                """)
    }

    @Test("a timer is a histogram in seconds")
    func timers() {
        let metrics = PrometheusMetrics()
        let timer = Timer(label: "wait_seconds", dimensions: [("queue", "a")], factory: metrics)
        timer.recordMilliseconds(1)
        timer.recordMilliseconds(49)
        timer.recordMilliseconds(51)
        timer.recordSeconds(20)
        let lines = metrics.text.split(separator: "\n").map(String.init)
        #expect(lines.contains(#"wait_seconds_bucket{queue="a",le="0.05"} 2"#))
        #expect(lines.contains(#"wait_seconds_bucket{queue="a",le="0.1"} 3"#))
        #expect(lines.contains(#"wait_seconds_bucket{queue="a",le="10"} 3"#))
        #expect(lines.contains(#"wait_seconds_bucket{queue="a",le="+Inf"} 4"#))
        // What a duration was exactly, nothing tells: 0.05, 0.05, 0.1, and what exceeds all bounds.
        #expect(lines.contains(#"wait_seconds_sum{queue="a"} 20.2"#))
        #expect(lines.contains(#"wait_seconds_count{queue="a"} 4"#))
    }

    @Test("two metrics of one name and labels are one series; one name has one kind")
    func series() {
        let metrics = PrometheusMetrics()
        Counter(label: "a_total", factory: metrics).increment()
        Counter(label: "a_total", factory: metrics).increment()
        Meter(label: "a_total", factory: metrics).set(99)
        #expect(metrics.text == "# TYPE a_total counter\na_total 2\n")
    }

    @Test("what a single request moves is published by the hour, and the rest at once")
    func hourly() throws {
        let metrics = PrometheusMetrics()
        let wait = Metrics.Timer(label: "db_pool_wait_seconds", factory: metrics)
        let waiting = Gauge(label: "db_pool_waiting", factory: metrics)
        let noon = Date(timeIntervalSince1970: 1_780_000_000 - 1_780_000_000.truncatingRemainder(dividingBy: 3600))
        func shows(_ line: String, after seconds: TimeInterval) -> Bool {
            metrics.published(at: noon.addingTimeInterval(seconds)).split(separator: "\n").contains { $0 == line }
        }
        wait.recordNanoseconds(1)
        #expect(shows("db_pool_wait_seconds_count 1", after: 1))
        wait.recordNanoseconds(1)
        waiting.record(7)
        #expect(shows("db_pool_wait_seconds_count 1", after: 3599))
        #expect(shows("db_pool_waiting 7", after: 3599))
        #expect(shows("db_pool_wait_seconds_count 2", after: 3600))
        #expect(metrics.text.contains("db_pool_wait_seconds_count 2"))
    }
}

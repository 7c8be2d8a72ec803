import ServiceKit
import Testing

@testable import MetadataProxy

@Suite struct BytesInFlightTests {
    @Test("there is room up to the limit, and again for what is given back; what is refused is counted")
    func room() {
        let metrics = PrometheusMetrics()
        let bytes = BytesInFlight(limit: 10_000, metrics: metrics)
        #expect(bytes.take(6_000))
        #expect(!bytes.take(4_001))
        #expect(bytes.take(4_000))
        #expect(!bytes.take(1))
        bytes.giveBack(6_000)
        #expect(bytes.take(6_000))
        #expect(metrics.text.contains("requests_shed_total 2"))
    }
}

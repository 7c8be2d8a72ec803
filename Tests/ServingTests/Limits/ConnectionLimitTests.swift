import Running
import Testing

@testable import Serving

@Suite struct ConnectionLimitTests {
    private func prefix(_ bytes: UInt8...) -> AddressPrefix { AddressPrefix(bytes: bytes) }

    @Test("a prefix may have a limited number of open connections, and one that ends makes room for another")
    func room() {
        let metrics = PrometheusMetrics()
        let limit = ConnectionLimit(3, metrics: metrics)
        let one = prefix(203, 0, 113, 7)
        let neighbour = prefix(203, 0, 113, 250)
        #expect((0..<5).map { _ in limit.admits(one) } == [true, true, true, false, false])
        #expect(!limit.admits(neighbour))
        #expect(limit.admits(prefix(203, 0, 114, 7)))
        limit.ended(neighbour)
        #expect(limit.admits(one))
        #expect(!limit.admits(one))
        #expect(metrics.text.contains("connections_refused_total 4"))
    }

    @Test("nothing remains of connections that have ended")
    func nothingRemains() {
        var sketch = PrefixSketch()
        let prefixes = (0..<2000).map { prefix(10, UInt8($0 / 256), UInt8($0 % 256), 1) }
        for prefix in prefixes { _ = sketch.add(prefix) }
        for prefix in prefixes { sketch.remove(prefix) }
        #expect(prefixes.allSatisfy { sketch.count($0) == 0 })
    }
}

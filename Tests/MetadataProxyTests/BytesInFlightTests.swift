import NIOCore
import ServiceKit
import Testing

@testable import MetadataProxy

@Suite struct BytesInFlightTests {
    private let metrics = PrometheusMetrics()
    private let bytes: BytesInFlight
    private let prefixes: [AddressPrefix]

    init() throws {
        bytes = BytesInFlight(limit: 10_000, metrics: metrics)
        prefixes = try (1...5).map { AddressPrefix(try SocketAddress(ipAddress: "203.0.\($0).7", port: 40_000)) }
    }

    @Test("there is room up to the limit, and again for what is given back; what is refused is counted")
    func room() {
        for prefix in prefixes.prefix(4) { #expect(bytes.take(2_500, for: prefix)) }
        #expect(!bytes.take(1, for: prefixes[4]))
        bytes.giveBack(1_000, for: prefixes[0])
        #expect(!bytes.take(1_001, for: prefixes[4]))
        #expect(bytes.take(1_000, for: prefixes[4]))
        #expect(metrics.text.contains("requests_shed_total 2"))
    }

    @Test("one part of the net has a quarter of it, and keeps no others out")
    func share() {
        #expect(!bytes.take(2_501, for: prefixes[0]))
        #expect(bytes.take(2_500, for: prefixes[0]))
        #expect(!bytes.take(1, for: prefixes[0]))
        #expect(bytes.take(2_500, for: prefixes[1]))
        bytes.giveBack(500, for: prefixes[0])
        #expect(bytes.take(500, for: prefixes[0]))
    }
}

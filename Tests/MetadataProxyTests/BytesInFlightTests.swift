import NIOCore
import Running
import Testing

@testable import MetadataProxy

@Suite struct BytesInFlightTests {
    private let metrics = PrometheusMetrics()
    private let bytes: BytesInFlight
    private let prefixes: [AddressPrefix]

    init() throws {
        bytes = BytesInFlight(limit: 10_000, metrics: metrics)
        // Prefixes that share a cell, as one pair in 4,096 does by chance, would share a quarter.
        var cells: Set<UInt> = []
        prefixes = try (0..<50).map { AddressPrefix(try SocketAddress(ipAddress: "203.0.\($0).7", port: 40_000)) }
            .filter { cells.insert(UInt(bitPattern: $0.hashValue) % 4096).inserted }
    }

    /// Whether a request that begins now, and ends at once, is admitted.
    private func isRoom(for size: Int, from prefix: Int) -> Bool {
        bytes.share(size, for: prefixes[prefix]) != nil
    }

    @Test("there is room up to the limit, released memory is available again, and refused requests are counted")
    func room() {
        var share = bytes.share(2_000, for: prefixes[0])
        share?.finish()
        var other = bytes.share(2_500, for: prefixes[1])
        other?.finish()
        // Also for one prefix, as long as it completes its requests.
        var third = bytes.share(2_500, for: prefixes[1])
        third?.finish()
        #expect(isRoom(for: 2_500, from: 1))
        let fourth = bytes.share(2_000, for: prefixes[1])
        #expect(isRoom(for: 1_000, from: 2))
        #expect(!isRoom(for: 1_001, from: 2))
        share = nil
        #expect(isRoom(for: 2_500, from: 2))
        #expect(metrics.text.contains("requests_shed_total 1"))
        #expect(other != nil && third != nil && fourth != nil)
    }

    @Test("incomplete requests of one address prefix may take a quarter, and affect no other prefix")
    func share() {
        #expect(!isRoom(for: 2_501, from: 0))
        var share = bytes.share(2_000, for: prefixes[0])
        let grows = share?.grow(by: 500)
        #expect(grows == true)
        let growsOn = share?.grow(by: 1)
        #expect(growsOn == false)
        #expect(!isRoom(for: 1, from: 0))
        #expect(isRoom(for: 2_500, from: 1))
        share?.finish()
        #expect(isRoom(for: 2_500, from: 0))
    }
}

import Running
import Testing

@testable import Serving

@Suite struct BytesInFlightTests {
    private let metrics = PrometheusMetrics()
    private let bytes: BytesInFlight
    private let cells: [Int]

    init() {
        bytes = BytesInFlight(limit: 10_000, metrics: metrics)
        // Prefixes that share a cell, as one pair in 4,096 does by chance, would share a quarter.
        var known: Set<Int> = []
        cells = (0..<50).map { BytesInFlight.cell(of: AddressPrefix(bytes: [203, 0, $0, 7])) }
            .filter { known.insert($0).inserted }
    }

    /// Whether a request that begins now, and ends at once, is admitted.
    private func isRoom(for size: Int, from prefix: Int) -> Bool {
        bytes.share(size, cell: cells[prefix]) != nil
    }

    @Test("there is room up to the limit, released memory is available again, and refused requests are counted")
    func room() {
        var share = bytes.share(2_000, cell: cells[0])
        share?.finish()
        var other = bytes.share(2_500, cell: cells[1])
        other?.finish()
        // Also for one prefix, as long as it completes its requests.
        var third = bytes.share(2_500, cell: cells[1])
        third?.finish()
        #expect(isRoom(for: 2_500, from: 1))
        let fourth = bytes.share(2_000, cell: cells[1])
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
        var share = bytes.share(2_000, cell: cells[0])
        let grows = share?.grow(by: 500)
        #expect(grows == true)
        let growsOn = share?.grow(by: 1)
        #expect(growsOn == false)
        #expect(!isRoom(for: 1, from: 0))
        #expect(isRoom(for: 2_500, from: 1))
        share?.finish()
        #expect(isRoom(for: 2_500, from: 0))
    }

    @Test("a complete request that grows takes nothing of its prefix's quarter, and gives back what it took")
    func grownAnswer() {
        var share = bytes.share(2_000, cell: cells[0])
        share?.finish()
        let grows = share?.grow(by: 6_000)
        #expect(grows == true)
        #expect(isRoom(for: 2_000, from: 0))
        #expect(!isRoom(for: 2_001, from: 0))
        share = nil
        #expect(isRoom(for: 2_500, from: 0))
    }
}

import NIOCore
import NIOEmbedded
import ServiceKit
import Testing

@testable import MetadataProxy

@Suite struct ConnectionLimitTests {
    private func prefix(_ text: String) throws -> AddressPrefix {
        AddressPrefix(try SocketAddress(ipAddress: text, port: 40_000))
    }

    @Test("a prefix has so many connections at one time, others have theirs, and one that ends makes room for another")
    func room() throws {
        let metrics = PrometheusMetrics()
        let limit = ConnectionLimit(3, metrics: metrics)
        let one = try prefix("203.0.113.7")
        let neighbour = try prefix("203.0.113.250")
        #expect((0..<5).map { _ in limit.admits(one) } == [true, true, true, false, false])
        #expect(!limit.admits(neighbour))
        #expect(limit.admits(try prefix("203.0.114.7")))
        limit.ended(neighbour)
        #expect(limit.admits(one))
        #expect(!limit.admits(one))
        #expect(metrics.text.contains("connections_refused_total 4"))
    }

    @Test("of connections that have ended nothing is left")
    func nothingIsLeft() throws {
        var sketch = PrefixSketch()
        let prefixes = try (0..<2000).map { try prefix("10.\($0 / 256).\($0 % 256).1") }
        for prefix in prefixes { _ = sketch.add(prefix) }
        for prefix in prefixes { sketch.remove(prefix) }
        #expect(prefixes.allSatisfy { sketch.count($0) == 0 })
    }
}

/// How long a connection is waited for.
@Suite struct CallerPatienceTests {
    private final class Stage {
        let loop = EmbeddedEventLoop()
        let channel: EmbeddedChannel
        let patience: CallerPatience
        private(set) var hasEnded = false

        init() {
            channel = EmbeddedChannel(loop: loop)
            patience = CallerPatience(channel, idle: .seconds(10), life: .seconds(60))
            patience.ended = { [unowned self] in hasEnded = true }
        }
    }

    @Test("who asks every six seconds, and only for what is refused, is waited for a minute in all")
    func life() {
        let stage = Stage()
        for _ in 0..<9 {
            stage.loop.advanceTime(by: .seconds(6))
            stage.patience.wait(for: .body)
            stage.patience.wait(for: .header)
            #expect(!stage.hasEnded)
        }
        stage.loop.advanceTime(by: .seconds(5))
        stage.patience.wait(for: .header)
        #expect(!stage.hasEnded)
        stage.loop.advanceTime(by: .seconds(1))
        #expect(stage.hasEnded)
    }

    @Test(
        "a request that is passed on makes it a minute more, on HTTP/2 with streams open, too",
        arguments: [false, true])
    func passed(hasStreams: Bool) {
        let stage = Stage()
        for _ in 0..<20 {
            stage.loop.advanceTime(by: .seconds(6))
            stage.patience.wait(for: .body)
            stage.patience.passed()
            stage.patience.wait(for: hasStreams ? .streams : .header)
            #expect(!stage.hasEnded)
        }
        stage.loop.advanceTime(by: .seconds(hasStreams ? 59 : 9))
        #expect(!stage.hasEnded)
        stage.loop.advanceTime(by: .seconds(1))
        #expect(stage.hasEnded)
    }

    @Test("who says nothing is waited for ten seconds")
    func idle() {
        let stage = Stage()
        stage.loop.advanceTime(by: .seconds(9))
        #expect(!stage.hasEnded)
        stage.loop.advanceTime(by: .seconds(1))
        #expect(stage.hasEnded)
    }
}

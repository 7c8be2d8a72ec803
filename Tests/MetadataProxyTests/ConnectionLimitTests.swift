import NIOCore
import NIOEmbedded
import Running
import Testing

@testable import MetadataProxy

@Suite struct ConnectionLimitTests {
    private func prefix(_ text: String) throws -> AddressPrefix {
        AddressPrefix(try SocketAddress(ipAddress: text, port: 40_000))
    }

    @Test("a prefix may have a limited number of open connections, and one that ends makes room for another")
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

    @Test("nothing remains of connections that have ended")
    func nothingRemains() throws {
        var sketch = PrefixSketch()
        let prefixes = try (0..<2000).map { try prefix("10.\($0 / 256).\($0 % 256).1") }
        for prefix in prefixes { _ = sketch.add(prefix) }
        for prefix in prefixes { sketch.remove(prefix) }
        #expect(prefixes.allSatisfy { sketch.count($0) == 0 })
    }
}

/// When a connection times out.
@Suite struct ConnectionTimeoutsTests {
    private final class Stage {
        let loop = EmbeddedEventLoop()
        let channel: EmbeddedChannel
        let timeouts: ConnectionTimeouts
        private(set) var hasEnded = false

        init() {
            channel = EmbeddedChannel(loop: loop)
            timeouts = ConnectionTimeouts(channel, idle: .seconds(10), life: .seconds(60))
            timeouts.expired = { [unowned self] in hasEnded = true }
        }
    }

    @Test("a client that sends only refused requests, every six seconds, is disconnected after a minute")
    func life() {
        let stage = Stage()
        for _ in 0..<9 {
            stage.loop.advanceTime(by: .seconds(6))
            stage.timeouts.start(.body)
            stage.timeouts.start(.header)
            #expect(!stage.hasEnded)
        }
        stage.loop.advanceTime(by: .seconds(5))
        stage.timeouts.start(.header)
        #expect(!stage.hasEnded)
        stage.loop.advanceTime(by: .seconds(1))
        #expect(stage.hasEnded)
    }

    @Test(
        "an admitted request extends the connection by a minute, also on HTTP/2 with open streams",
        arguments: [false, true])
    func admitted(hasStreams: Bool) {
        let stage = Stage()
        for _ in 0..<20 {
            stage.loop.advanceTime(by: .seconds(6))
            stage.timeouts.start(.body)
            stage.timeouts.renewLife()
            stage.timeouts.start(hasStreams ? .streams : .header)
            #expect(!stage.hasEnded)
        }
        stage.loop.advanceTime(by: .seconds(hasStreams ? 59 : 9))
        #expect(!stage.hasEnded)
        stage.loop.advanceTime(by: .seconds(1))
        #expect(stage.hasEnded)
    }

    @Test("an idle client is disconnected after ten seconds")
    func idle() {
        let stage = Stage()
        stage.loop.advanceTime(by: .seconds(9))
        #expect(!stage.hasEnded)
        stage.loop.advanceTime(by: .seconds(1))
        #expect(stage.hasEnded)
    }
}

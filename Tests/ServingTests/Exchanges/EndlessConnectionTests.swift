import HTTPMessage
import HTTPTypes
import Loop
import Testing

@testable import Serving

/// Clients of HTTP/2 that say nothing more, acknowledge nothing, and take nothing, at a listener with the limits of clients on
/// the internet. No library speaks for them: it would acknowledge settings, pings and GOAWAY.
@Suite struct EndlessConnectionTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    private static let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    /// `SETTINGS_INITIAL_WINDOW_SIZE` 0.
    private static let noWindow: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]
    /// `GET https://a/`, indexed but for the authority, on stream 1: complete, or with a body to come.
    private static func request(ends: Bool) -> [UInt8] {
        [0, 0, 6, 1, ends ? 5 : 4, 0, 0, 0, 1, 0x82, 0x84, 0x87, 0x41, 1, 0x61]
    }
    private static func windowUpdate(_ stream: UInt8) -> [UInt8] { [0, 0, 4, 8, 0, 0, 0, 0, stream, 0, 0, 0, 1] }

    /// Seconds until the server has closed a connection whose client begins with some bytes and sends others each second; nil
    /// if it stands after two minutes.
    private func life(
        _ first: [UInt8], then more: [UInt8] = [], on stage: ExchangeStage = ExchangeStage()
    ) -> Int? {
        let client = stage.connectRaw()
        client.connection?.write(first)
        stage.turn()
        for second in 1...120 {
            stage.wait(.seconds(1))
            if client.hasEnded { return second }
            if !more.isEmpty { client.connection?.write(more) }
        }
        return nil
    }

    /// Ten seconds without a request, two for a client that doesn't notice the end, two for one that doesn't close.
    @Test(
        "a client that acknowledges nothing is disconnected after its time for a request, whatever it sends instead",
        arguments: [
            ([], []), (preface, []), (preface + settings, []), (preface + settings, ping),
            (preface + settings, settings), (preface + settings, windowUpdate(0)),
            // A header that never becomes complete.
            (preface + settings + [0, 0x40, 0, 1, 5, 0, 0, 0, 1], [0]),
        ] as [([UInt8], [UInt8])])
    func silent(first: [UInt8], more: [UInt8]) throws {
        let seconds = try #require(life(first, then: more))
        #expect((10...14).contains(seconds))
    }

    @Test(
        "a client whose body never ends is disconnected, and one that has had its answer and says nothing more as well")
    func afterRequest() throws {
        let body = try #require(
            life(Self.preface + Self.settings + Self.request(ends: false), then: [0, 0, 1, 0, 0, 0, 0, 0, 1, 0x61]))
        #expect((20...26).contains(body))
        let answered = try #require(life(Self.preface + Self.settings + Self.request(ends: true)))
        #expect((10...14).contains(answered))
    }

    /// Thirty seconds for the answer, then as above.
    @Test(
        "a page for which the client opens no window, or a byte of it each second, is given up, and its memory with it",
        arguments: [[], windowUpdate(1)] as [[UInt8]])
    func window(more: [UInt8]) throws {
        let stage = ExchangeStage { exchange in
            exchange.core.afterTurn {
                exchange.send(ServerAnswer(.ok, body: ResponseBody([UInt8](repeating: 0x61, count: 1 << 17))))
            }
            return Waiting(exchange)
        }
        let seconds = try #require(
            life(Self.preface + Self.noWindow + Self.request(ends: true), then: more, on: stage))
        #expect((30...46).contains(seconds))
        #expect(stage.hasRoom && stage.listener.isEmpty)
    }

    @Test("a client that acknowledges nothing and reads nothing doesn't hold up the end of the process")
    func drain() {
        let stage = ExchangeStage { Waiting($0) }
        let clients = (0..<3).map { _ in stage.connectRaw() }
        clients[1].connection?.write(Self.preface + Self.settings)
        clients[2].connection?.write(Self.preface + Self.settings + Self.request(ends: true))
        stage.turn()
        for client in clients { client.isDeaf = true }
        var hasEnded = false
        stage.listener.drain { hasEnded = true }
        for _ in 0..<31 { stage.wait(.seconds(1)) }
        #expect(hasEnded && stage.listener.isEmpty)
    }
}

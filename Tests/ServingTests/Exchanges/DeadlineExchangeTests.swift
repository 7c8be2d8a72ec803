import HTTPMessage
import HTTPTypes
import Loop
import Testing

@testable import Serving

/// What is late, and what can't put it off (HTTP/1.1, on a core with virtual time).
@Suite struct DeadlineExchangeTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    private static var limits: Limits {
        var limits = Limits.outer
        limits.idle = .seconds(10)
        limits.body = .seconds(20)
        limits.handler = .seconds(30)
        limits.answer = .seconds(40)
        return limits
    }

    /// Sends a piece every second until the connection ends.
    ///
    /// - Returns: after how many seconds it ended; nil if it is open after two minutes.
    private func drip(_ stage: ExchangeStage, _ piece: String) -> Int? {
        for second in 0..<120 {
            if stage.client.hasEnded { return second }
            stage.send(piece)
            stage.wait(.seconds(1))
        }
        return nil
    }

    @Test("a silent client is disconnected, and one that sends a header or empty lines in drips as well")
    func idle() {
        for piece in ["", "a"] {
            let stage = ExchangeStage(limits: Self.limits)
            if piece == "a" { stage.send("GET /") }
            #expect((10...11).contains(drip(stage, piece) ?? 0))
            #expect(stage.client.statuses.isEmpty)
        }
        #expect((1...11).contains(drip(ExchangeStage(limits: Self.limits), "\r\n") ?? 0))
    }

    @Test("the time until the next header begins with the answer, and nothing but a request renews it")
    func idleAfterAnswer() {
        let stage = ExchangeStage(limits: Self.limits)
        stage.wait(.seconds(9))
        stage.send(Self.get)
        #expect((10...11).contains(drip(stage, "") ?? 0))
        #expect(stage.client.statuses == [200])
    }

    @Test("a body in drips is answered with 408 when its time is over, and the connection ends")
    func slowBody() {
        var handler: Answering?
        let stage = ExchangeStage(limits: Self.limits) {
            handler = Answering($0)
            return handler
        }
        stage.send("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
        #expect((20...21).contains(drip(stage, "x") ?? 0))
        #expect(stage.client.statuses == [408])
        #expect(handler?.events == ["overruled 408"])
    }

    @Test("a header in two parts leaves a body its whole time")
    func twoParts() {
        let stage = ExchangeStage(limits: Self.limits)
        stage.send("POST /p HTTP/1.1\r\nHost: a\r\nContent-")
        stage.wait(.seconds(9))
        stage.send("Length: 2\r\n\r\na")
        stage.wait(.seconds(19))
        stage.send("b")
        #expect(stage.client.statuses == [200])
    }

    @Test("a late handler is answered for with 503, and its own answer is dropped")
    func lateHandler() {
        var waiting: Waiting?
        let stage = ExchangeStage(limits: Self.limits) {
            waiting = Waiting($0)
            return waiting
        }
        stage.send(Self.get)
        stage.wait(.seconds(29))
        #expect(stage.client.statuses.isEmpty)
        stage.wait(.seconds(2))
        #expect(stage.client.statuses == [503])
        #expect(waiting?.events == ["end", "overruled 503"])
        waiting?.answerNow()
        stage.turn()
        #expect(stage.client.statuses == [503])
        #expect(stage.client.hasEnded)
    }

    @Test("a refusal is sent when the rest of its request is late")
    func lateRefusal() {
        let stage = ExchangeStage(limits: Self.limits) { exchange in
            exchange.refuse(ServerAnswer(.notFound))
            return nil
        }
        stage.send("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
        #expect((20...21).contains(drip(stage, "x") ?? 0))
        #expect(stage.client.statuses == [404])
    }

    @Test("a client that doesn't receive its answer is disconnected when that time is over, not before")
    func slowReading() {
        let stage = ExchangeStage(limits: Self.limits, bytes: 64 << 20) { exchange in
            exchange.core.afterTurn {
                exchange.send(ServerAnswer(.ok, body: ResponseBody([UInt8](repeating: 0x61, count: 8 << 20))))
            }
            return Waiting(exchange)
        }
        stage.client.isDeaf = true
        stage.send(Self.get)
        stage.wait(.seconds(39))
        #expect(!stage.listener.isEmpty)
        stage.wait(.seconds(13))
        #expect(stage.listener.isEmpty)
    }

    @Test("a client whose requests are all refused is disconnected after its life; an admitted one begins that anew")
    func life() {
        var limits = Self.limits
        limits.life = .seconds(60)
        let stage = ExchangeStage(limits: limits) { exchange in
            if exchange.head.target == "/a" { return Answering(exchange) }
            exchange.refuse(ServerAnswer(.notFound))
            return nil
        }
        let refused = Self.get.replacing("/a", with: "/x")
        for _ in 0..<9 {
            stage.wait(.seconds(6))
            stage.send(refused)
        }
        #expect(!stage.client.hasEnded)
        stage.send(Self.get)
        for _ in 0..<9 {
            stage.wait(.seconds(6))
            stage.send(refused)
            #expect(!stage.client.hasEnded)
        }
        stage.wait(.seconds(7))
        #expect(stage.client.hasEnded)
    }

    @Test("shutdown lets a request on its way in, answers what is worked on, and closes")
    func drain() {
        var waiting: [Waiting] = []
        let stage = ExchangeStage(limits: Self.limits) { exchange in
            let handler = Waiting(exchange)
            waiting.append(handler)
            return handler
        }
        let first = stage.client
        stage.send(Self.get)
        stage.connect()
        var hasEnded = false
        stage.listener.drain { hasEnded = true }
        stage.send(Self.get)
        for handler in waiting { handler.answerNow() }
        stage.turn()
        #expect(first.statuses == [200])
        #expect(stage.client.statuses == [200])
        #expect(first.text.contains("connection: close"))
        #expect(first.hasEnded && stage.client.hasEnded)
        #expect(hasEnded)
    }

    @Test("shutdown closes connections without a request after a moment, and those that go on after its limit")
    func drainLimit() {
        var limits = Self.limits
        limits.drain = .seconds(5)
        let stage = ExchangeStage(limits: limits) { Waiting($0) }
        let first = stage.client
        stage.send(Self.get)
        stage.connect()
        var hasEnded = false
        stage.listener.drain { hasEnded = true }
        stage.wait(.seconds(1))
        #expect(stage.client.hasEnded)
        #expect(!first.hasEnded && !hasEnded)
        stage.wait(.seconds(5))
        #expect(first.hasEnded && hasEnded)
    }
}

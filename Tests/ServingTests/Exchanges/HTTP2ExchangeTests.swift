import HTTP2
import HTTPMessage
import HTTPTypes
import Loop
import Testing

@testable import Serving

/// Requests over HTTP/2, on a core with virtual time.
@Suite struct HTTP2ExchangeTests {
    @Test("requests are answered on their streams, with their bodies")
    func streams() throws {
        let stage = ExchangeStage()
        let client = try stage.connectHTTP2()
        let streams = (0..<20).map { client.request(.post, "/\($0)", body: .bytes(Array("body \($0)".utf8))) }
        stage.turn()
        for (number, stream) in streams.enumerated() {
            #expect(client.statuses[stream] == 200)
            #expect(client.bodies[stream] == Array("/\(number) body \(number)".utf8))
            #expect(client.ends[stream] == .noError)
        }
    }

    @Test("answers come in the order in which they are known")
    func order() throws {
        var waiting: [Waiting] = []
        let stage = ExchangeStage {
            waiting.append(Waiting($0))
            return waiting.last
        }
        let client = try stage.connectHTTP2()
        let (first, second) = (client.request(), client.request())
        stage.turn()
        waiting[1].answerNow()
        stage.turn()
        #expect(client.statuses == [second: 200])
        waiting[0].answerNow()
        stage.turn()
        #expect(client.statuses == [first: 200, second: 200])
    }

    @Test("a stream that the client resets is taken from its handler")
    func reset() throws {
        var waiting: Waiting?
        let stage = ExchangeStage {
            waiting = Waiting($0)
            return waiting
        }
        let client = try stage.connectHTTP2()
        let stream = client.request()
        stage.turn()
        client.session.reset(stream, .cancel)
        client.flush()
        stage.turn()
        #expect(waiting?.events == ["end", "gone"])
        #expect(stage.hasRoom)
        waiting?.answerNow()
        stage.turn()
        #expect(client.statuses.isEmpty)
    }

    @Test("with padding, each answer is one piece of the same length, whatever came before")
    func padded() throws {
        let name = try #require(HTTPField.Name("x-padding"))
        let stage = ExchangeStage(padding: AnswerPadding(name, length: 1024)) { exchange in
            if exchange.head.target == "/x" { exchange.refuse(ServerAnswer(.notFound)) }
            return exchange.head.target == "/x" ? nil : Answering(exchange)
        }
        let client = try stage.connectHTTP2()
        for path in ["/a", "/x", "/longer", "/a"] {
            let before = client.pieces.count
            let stream = client.request(.get, path)
            stage.turn()
            #expect(client.statuses[stream] != nil)
            #expect(client.pieces[before...].contains(1024))
        }
    }

    @Test("an answer that leaves at once comes behind the acknowledgement of settings, as a later one does")
    func acknowledged() throws {
        let name = try #require(HTTPField.Name("x-padding"))
        let stage = ExchangeStage(padding: AnswerPadding(name, length: 1024)) { exchange in
            exchange.refuse(ServerAnswer(.notFound), reading: 0)
            return nil
        }
        let (ours, theirs) = Connection.pair(on: stage.core, secure: { ClearTransport($0) })
        let client = WireClient()
        if let handler = stage.listener.accept(ours) { ours.start(handler) }
        theirs.start(client)
        stage.turn()
        _ = client.take()
        // The preface, SETTINGS, and a request for /, in one piece (RFC 9113, section 3.4).
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let request: [UInt8] = [0, 0, 6, 1, 5, 0, 0, 0, 1, 0x82, 0x87, 0x84, 0x41, 1, 0x61]
        theirs.write(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings + request)
        stage.turn()
        let acknowledgement: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0]
        #expect(client.bytes.starts(with: acknowledgement))
        #expect(client.bytes.count == acknowledgement.count + 1024)
    }

    @Test("an encoded answer leaves when it is told to, and until then the connection stays")
    func encoded() throws {
        let name = try #require(HTTPField.Name("x-padding"))
        var exchange: ServerExchange?
        let stage = ExchangeStage(padding: AnswerPadding(name, length: 1024)) {
            exchange = $0
            return Waiting($0)
        }
        let client = try stage.connectHTTP2()
        let stream = client.request()
        stage.turn()
        let answer = try #require(exchange?.encode(ServerAnswer(.created)))
        stage.wait(.seconds(9))
        #expect(client.statuses.isEmpty)
        #expect(!client.hasEnded)
        exchange?.send(answer)
        stage.turn()
        #expect(client.statuses == [stream: 201])
        #expect(client.ends[stream] == .noError)
    }

    @Test("a refused request is read before it is answered, and a long one is answered, then reset without an error")
    func refused() throws {
        let stage = ExchangeStage { exchange in
            exchange.refuse(ServerAnswer(.contentTooLarge), reading: exchange.head.target == "/0" ? 0 : 100)
            return nil
        }
        let client = try stage.connectHTTP2()
        let body = OpenBody(Array("abc".utf8))
        let short = client.request(.post, "/1", body: .source(body))
        stage.turn()
        #expect(client.statuses.isEmpty)
        body.isComplete = true
        client.session.resume(short)
        client.flush()
        stage.turn()
        #expect(client.statuses[short] == 413)
        #expect(client.ends[short] == .noError)
        let long = client.request(.post, "/0", body: .source(OpenBody([1, 2, 3])))
        stage.turn()
        #expect(client.statuses[long] == 413)
        #expect(client.ends[long] == nil)
        stage.wait(.seconds(2))
        #expect(client.ends[long] == .noError)
        #expect(!client.hasEnded)
    }

    @Test("refusals that nobody reads end the connection with ENHANCE_YOUR_CALM, one by one they don't")
    func unreadRefusals() throws {
        var limits = Limits.outer
        limits.unreadRefusals = 8
        let stage = ExchangeStage(limits: limits) { exchange in
            exchange.refuse(ServerAnswer(.notFound))
            return nil
        }
        let client = try stage.connectHTTP2()
        for _ in 0..<50 {
            let stream = client.request()
            stage.turn()
            #expect(client.statuses[stream] == 404)
        }
        for _ in 0..<20 { _ = client.request() }
        stage.turn()
        #expect(client.hasEnded)
        #expect(client.goAways.last?.code == .enhanceYourCalm)
    }

    @Test("streams that were reset count until their handlers end (CVE-2023-44487)")
    func tasks() throws {
        var limits = Limits.outer
        limits.streams = 4
        var handlers: [Waiting] = []
        let stage = ExchangeStage(limits: limits) {
            handlers.append(Waiting($0))
            // As a task does that ignores its cancellation.
            $0.connection?.tasks += 1
            return handlers.last
        }
        let client = try stage.connectHTTP2()
        for _ in 0..<10 {
            let stream = client.request()
            stage.turn()
            client.session.reset(stream, .cancel)
            client.flush()
            stage.turn()
        }
        #expect(handlers.count == 4)
    }

    // MARK: Deadlines

    @Test("a client that only pings, or sends nothing, is disconnected when its time for a request is over")
    func idle() throws {
        for pings in [false, true] {
            let stage = ExchangeStage()
            let client = try stage.connectHTTP2()
            var seconds = 0
            while !client.hasEnded, seconds < 60 {
                if pings {
                    client.session.ping()
                    client.flush()
                }
                stage.wait(.seconds(1))
                seconds += 1
            }
            #expect((10...14).contains(seconds))
        }
    }

    @Test("the time of a connection begins when its last stream ends, however it does")
    func idleAfterStream() throws {
        var waiting: Waiting?
        let stage = ExchangeStage {
            waiting = Waiting($0)
            return waiting
        }
        let client = try stage.connectHTTP2()
        stage.wait(.seconds(8))
        _ = client.request()
        stage.wait(.seconds(9))
        waiting?.answerNow()
        stage.wait(.seconds(9))
        #expect(client.goAways.isEmpty)
        stage.wait(.seconds(6))
        #expect(client.hasEnded)
    }

    @Test("a body that is late is answered with 408, a handler with 503, and the connection goes on")
    func late() throws {
        var handlers: [Waiting] = []
        let stage = ExchangeStage {
            handlers.append(Waiting($0))
            return handlers.last
        }
        let client = try stage.connectHTTP2()
        let slow = client.request(.post, body: .source(OpenBody([1])))
        let waiting = client.request()
        stage.wait(.seconds(9))
        #expect(client.statuses.isEmpty)
        stage.wait(.seconds(2))
        #expect(client.statuses == [slow: 408, waiting: 503])
        #expect(handlers.map(\.events) == [["overruled 408"], ["end", "overruled 503"]])
        stage.wait(.seconds(2))
        #expect(client.ends[slow] == .noError)
        let next = client.request()
        stage.turn()
        handlers[2].answerNow()
        stage.turn()
        #expect(client.statuses[next] == 200)
    }

    /// CVE-2016-1546 and CVE-2023-43622, where it waited forever; CVE-2020-12604.
    @Test("an answer that the client's window holds up is given up when its time is over")
    func heldUp() throws {
        var limits = Limits.outer
        limits.answer = .seconds(30)
        let stage = ExchangeStage(limits: limits) { exchange in
            exchange.core.afterTurn {
                exchange.send(ServerAnswer(.ok, body: ResponseBody([UInt8](repeating: 0x61, count: 1 << 18))))
            }
            return Waiting(exchange)
        }
        let client = try stage.connectHTTP2()
        client.givesCredit = false
        let stream = client.request()
        stage.wait(.seconds(29))
        #expect(client.statuses[stream] == 200)
        #expect(client.ends[stream] == nil)
        stage.wait(.seconds(2))
        #expect(client.ends[stream] == .cancel)
        #expect(stage.hasRoom)
    }

    // MARK: Shutdown

    @Test(
        "shutdown takes streams on their way, then says which were taken, answers them, and closes (RFC 9113, section 6.8)"
    )
    func drain() throws {
        var handlers: [Waiting] = []
        let stage = ExchangeStage {
            handlers.append(Waiting($0))
            return handlers.last
        }
        let client = try stage.connectHTTP2()
        let first = client.request()
        stage.turn()
        var hasEnded = false
        stage.listener.drain { hasEnded = true }
        // Sent before the notice has arrived.
        let second = client.request()
        stage.turn()
        #expect(client.goAways.map(\.lastStream) == [.max, second])
        #expect(!client.hasEnded)
        for handler in handlers { handler.answerNow() }
        stage.turn()
        #expect(client.statuses == [first: 200, second: 200])
        // The stage's first connection has no request.
        stage.wait(.seconds(1))
        #expect(client.hasEnded && hasEnded)
    }
}

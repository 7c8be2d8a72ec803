import HTTPMessage
import HTTPTypes
import Loop
import Testing

@testable import Serving

/// Requests over HTTP/1.1, on a core with virtual time.
@Suite struct HTTP1ExchangeTests {
    private static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func post(_ body: String, length: Int? = nil, _ fields: String = "") -> String {
        "POST /p HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(length ?? body.utf8.count)\r\n\r\n\(body)"
    }

    // MARK: Requests

    @Test("a request is answered, whole and byte by byte")
    func whole() {
        let stage = ExchangeStage()
        stage.send(Self.post("hello"))
        for byte in Self.post("world").utf8 { stage.send([byte]) }
        #expect(stage.client.statuses == [200, 200])
        #expect(stage.client.text.hasSuffix("/p world"))
        #expect(!stage.client.hasEnded)
    }

    @Test("a hundred requests sent ahead are answered in their order (RFC 9112, section 9.3.2)")
    func pipelining() {
        let stage = ExchangeStage()
        stage.send((0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        let targets = stage.client.text.matches(of: /\/(\d+) (?:HTTP|$)/).compactMap { Int($0.output.1) }
        #expect(targets == Array(0..<100))
    }

    @Test("the next request waits while one is worked on, and counts as arrived when its turn comes")
    func oneByOne() {
        var waiting: [Waiting] = []
        let stage = ExchangeStage { exchange in
            let handler = Waiting(exchange)
            waiting.append(handler)
            return handler
        }
        stage.send(Self.get + Self.get)
        #expect(waiting.count == 1)
        let start = stage.core.now
        stage.wait(.seconds(3))
        waiting[0].answerNow()
        stage.turn()
        #expect(waiting.count == 2)
        #expect(waiting[0].exchange.arrival == start)
        #expect(waiting[1].exchange.arrival == start + .seconds(3))
        waiting[1].answerNow()
        stage.turn()
        #expect(stage.client.statuses == [200, 200])
    }

    @Test(
        "a connection ends where the client says so, wherever the option stands (RFC 9112, section 9.6)",
        arguments: [
            ("Connection: close\r\n", true), ("Connection: close, TE\r\n", true), ("Connection: x, Close\r\n", true),
            ("Connection: close\r\nConnection: keep-alive\r\n", true), ("Connection: keep-alive\r\n", false),
            ("Upgrade: h2c\r\nConnection: Upgrade\r\n", false),
        ])
    func close(fields: String, ends: Bool) {
        let stage = ExchangeStage()
        stage.send("GET /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" + Self.get)
        #expect(stage.client.statuses == (ends ? [200] : [200, 200]))
        #expect(stage.client.text.lowercased().contains("connection: close") == ends)
        #expect(stage.client.hasEnded == ends)
    }

    @Test("HTTP/1.0 is kept alive if it asks, and told so")
    func old() {
        let stage = ExchangeStage()
        stage.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(stage.client.text.contains("connection: keep-alive\r\n"))
        stage.send("GET /a HTTP/1.0\r\n\r\n")
        #expect(stage.client.statuses == [200, 200])
        #expect(stage.client.hasEnded)
    }

    @Test(
        "a client that has closed its side is answered all the same, also by a handler that waits",
        arguments: [false, true])
    func halfClose(waits: Bool) {
        var waiting: Waiting?
        let stage = ExchangeStage { exchange in
            guard waits else { return Answering(exchange) }
            waiting = Waiting(exchange)
            return waiting
        }
        stage.client.connection?.write(Array((waits ? Self.get : Self.get + Self.get).utf8))
        stage.client.connection?.close()
        stage.turn()
        waiting?.answerNow()
        stage.turn()
        #expect(stage.server.refusals.isEmpty)
        #expect(waiting?.events == (waits ? ["end"] : nil))
    }

    @Test("a client that disconnects within a request takes it away, and nothing is answered")
    func disconnect() {
        var handler: Answering?
        let stage = ExchangeStage {
            handler = Answering($0)
            return handler
        }
        stage.send(Self.post("a", length: 10))
        stage.client.connection?.abort()
        stage.turn()
        #expect(handler?.events == ["gone"])
        #expect(stage.hasRoom)
    }

    // MARK: Bodies and refusals

    @Test("100 (Continue) invites a body that is wanted, and only that (RFC 9110, section 10.1.1)")
    func invitation() {
        let stage = ExchangeStage { $0.head.target == "/p" ? Answering($0) : nil }
        let expecting = "Expect: 100-continue\r\n"
        stage.send(Self.post("", length: 2, expecting))
        #expect(stage.client.statuses == [100])
        stage.send("ab")
        #expect(stage.client.statuses == [100, 200])
        stage.send(Self.post("", length: 2, expecting).replacing("/p", with: "/x"))
        #expect(stage.client.statuses == [100, 200, 500])
        #expect(stage.client.hasEnded)
        let other = ExchangeStage()
        other.send(Self.post("", length: 2, expecting).replacing("HTTP/1.1", with: "HTTP/1.0"))
        #expect(other.client.statuses.isEmpty)
    }

    private static func refusing(_ status: HTTPResponse.Status = .notFound, reading limit: Int? = nil)
        -> (ServerExchange) -> (any ExchangeHandler)?
    {
        { exchange in
            if let limit {
                exchange.refuse(ServerAnswer(status), reading: limit)
            } else {
                exchange.refuse(ServerAnswer(status))
            }
            return nil
        }
    }

    @Test("a refused request is read to its end before the answer, and the connection goes on")
    func refused() {
        let stage = ExchangeStage(Self.refusing())
        stage.send(Self.post("abc", length: 6))
        #expect(stage.client.statuses.isEmpty)
        stage.send("def" + Self.get)
        #expect(stage.client.statuses == [404, 404])
        #expect(!stage.client.hasEnded)
    }

    @Test("the rest of a refused request has a limit, behind which the connection ends")
    func refusedLong() {
        let stage = ExchangeStage(Self.refusing(reading: 1000))
        stage.send(Self.post(String(repeating: "x", count: 900), length: 5000))
        #expect(stage.client.statuses.isEmpty)
        stage.send(String(repeating: "x", count: 101))
        #expect(stage.client.statuses == [404])
        #expect(stage.client.text.contains("connection: close"))
        #expect(stage.client.hasEnded)
    }

    @Test("a refusal at once needs nothing of the body")
    func atOnce() {
        let stage = ExchangeStage(Self.refusing(.contentTooLarge, reading: 0))
        stage.send(Self.post("", length: 5000))
        #expect(stage.client.statuses == [413])
        #expect(stage.client.hasEnded)
    }

    @Test("eight refusals of requests that were sent ahead close the connection, one by one they don't")
    func unreadRefusals() {
        var limits = Limits.outer
        limits.unreadRefusals = 8
        let stage = ExchangeStage(limits: limits, Self.refusing())
        for _ in 0..<50 { stage.send(Self.get) }
        #expect(stage.client.statuses.count == 50)
        stage.send(String(repeating: Self.get, count: 50))
        #expect(stage.client.statuses.count == 58)
        #expect(stage.client.hasEnded)
    }

    @Test("while a client reads no answers, nothing is parsed; when it reads, everything is")
    func unread() {
        var begun = 0
        var limits = Limits.outer
        limits.unreadBytes = 2048
        let stage = ExchangeStage(limits: limits) { exchange in
            begun += 1
            return Answering(exchange)
        }
        stage.client.isDeaf = true
        // More than the sockets of both sides take.
        let answers = 20_000
        let requests = String(repeating: Self.get, count: answers)
        stage.send(requests)
        stage.turn()
        #expect(begun < answers)
        let before = begun
        stage.turn()
        #expect(begun == before)
        stage.client.isDeaf = false
        for _ in 0..<2000 where begun < answers { stage.turn() }
        stage.turn()
        #expect(begun == answers)
        #expect(stage.client.statuses.count == answers)
    }

    // MARK: Memory

    @Test("a request holds memory until it is answered, and without memory it is refused with 503")
    func memory() {
        var waiting: Waiting?
        let stage = ExchangeStage(bytes: 4 * BytesInFlight.perRequest + 40) { exchange in
            waiting = Waiting(exchange)
            return waiting
        }
        stage.send(Self.post("abc", length: 6))
        #expect(!stage.hasRoom)
        let first = stage.client
        stage.connect()
        stage.send(Self.post("abcdef") + Self.get)
        #expect(stage.client.statuses == [503, 503])
        #expect(!stage.client.hasEnded)
        first.connection?.write(Array("def".utf8))
        stage.turn()
        #expect(stage.hasRoom)
        waiting?.answerNow()
        stage.turn()
        #expect(first.statuses == [200])
    }

    @Test("a body without room is refused with 503, and what its handler held is free")
    func bodyMemory() {
        var handler: Answering?
        let stage = ExchangeStage(bytes: 4 * BytesInFlight.perRequest + 400) {
            handler = Answering($0)
            return handler
        }
        stage.send(Self.post(String(repeating: "x", count: 100), length: 300))
        #expect(handler?.events == [])
        stage.send(String(repeating: "x", count: 200))
        #expect(handler?.events == ["overruled 503"])
        #expect(stage.client.statuses == [503])
        #expect(stage.hasRoom)
    }

    // MARK: Answers

    @Test("an answer encoded now and sent later leaves when it is told to")
    func encoded() {
        var exchange: ServerExchange?
        let stage = ExchangeStage { begun in
            exchange = begun
            return Waiting(begun)
        }
        stage.send(Self.get)
        let answer = exchange?.encode(ServerAnswer(.created, body: ResponseBody(Array("x".utf8))))
        stage.turn()
        #expect(stage.client.statuses.isEmpty)
        if let answer { exchange?.send(answer) }
        stage.turn()
        #expect(stage.client.statuses == [201])
        #expect(exchange?.isOpen == false)
    }

    @Test("with padding, every answer has the same length, the listener's own as well")
    func padded() throws {
        let name = try #require(HTTPField.Name("x-padding"))
        let stage = ExchangeStage(padding: AnswerPadding(name, length: 1024)) { exchange in
            if exchange.head.target == "/x" { exchange.refuse(ServerAnswer(.notFound)) }
            return exchange.head.target == "/x" ? nil : Answering(exchange)
        }
        for request in [Self.get, Self.post("hello"), "GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "GET\r\n\r\n"] {
            stage.send(request)
            #expect(stage.client.take().count == 1024)
        }
        #expect(stage.server.refusals == [400])
    }

    @Test("an answer that is too long for its padding isn't encoded")
    func tooLong() throws {
        let name = try #require(HTTPField.Name("x-padding"))
        var exchange: ServerExchange?
        let stage = ExchangeStage(padding: AnswerPadding(name, length: 1024)) {
            exchange = $0
            return Waiting($0)
        }
        stage.send(Self.get)
        let body = ResponseBody([UInt8](repeating: 0x61, count: 1000))
        #expect(exchange?.encode(ServerAnswer(.ok, body: body)) == nil)
        #expect(exchange?.encode(ServerAnswer(.serviceUnavailable)) != nil)
    }

    @Test("HEAD and 204 have no body, and 204 no length (RFC 9110, section 8.6)")
    func noBody() {
        let stage = ExchangeStage { exchange in
            let handler = Waiting(exchange)
            let status: HTTPResponse.Status = exchange.head.method == .head ? .ok : .noContent
            let body = exchange.head.method == .head ? ResponseBody(Array("hidden".utf8)) : ResponseBody()
            exchange.core.afterTurn { exchange.send(ServerAnswer(status, body: body)) }
            return handler
        }
        stage.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = String(decoding: stage.client.take(), as: UTF8.self)
        #expect(head.contains("content-length: 6\r\n"))
        #expect(head.hasSuffix("\r\n\r\n"))
        stage.send(Self.get)
        #expect(!stage.client.text.contains("content-length"))
    }

    @Test("no value that a service gives can begin another line or answer (response splitting)")
    func splitting() {
        let stage = ExchangeStage { exchange in
            var fields = FieldLines()
            fields.append(.location, "/a\r\nSet-Cookie: x=y\r\n\r\nHTTP/1.1 200 OK\0")
            exchange.core.afterTurn { exchange.send(ServerAnswer(.found, fields: fields)) }
            return Waiting(exchange)
        }
        stage.send(Self.get)
        #expect(!stage.client.text.contains("\r\nSet-Cookie"))
        #expect(stage.client.text.components(separatedBy: "\r\n\r\n").count == 2)
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}

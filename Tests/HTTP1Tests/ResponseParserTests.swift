import HTTP1
import HTTPMessage
import HTTPTypes
import Testing

/// What a client must not believe (RFC 9112, sections 4 and 6; RFC 9110, section 15.2).
@Suite("Answers")
struct ResponseParserTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"
    private static let start = "HTTP/1.1 200 OK\r\n"
    private static let chunked = start + "Transfer-Encoding: chunked\r\n\r\n"

    /// Answers, whole and byte by byte.
    private func read(_ text: String, to methods: [HTTPRequest.Method] = [.get], ends: Bool = false) -> Reading {
        let bytes = Array(text.utf8)
        let whole = readAnswers([bytes], to: methods, ends: ends)
        // A million bytes one by one show no more than some thousand do.
        if bytes.count < 50_000 { #expect(whole == readAnswers(single(bytes), to: methods, ends: ends)) }
        return whole
    }

    @Test(
        "a right answer has its parts",
        arguments: [
            (ok, "200 http1_1 length(2) content-length=2", "ok"),
            ("HTTP/1.1 100 Continue\r\n\r\n" + ok, "200 http1_1 length(2) content-length=2", "ok"),
            (
                String(repeating: "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", count: 8) + ok,
                "200 http1_1 length(2) content-length=2", "ok"
            ),
            (chunked + "2\r\nok\r\n0\r\nX: y\r\n\r\n", "200 http1_1 chunked transfer-encoding=chunked", "ok"),
            (start + "\r\nok", "200 http1_1 untilEnd close", "ok"),
            ("HTTP/1.0 200 \r\n\r\nok", "200 http1_0 untilEnd close", "ok"),
            ("HTTP/1.0 404 x\r\nContent-Length: 0\r\n\r\n", "404 http1_0 length(0) close content-length=0", ""),
            (
                "HTTP/1.0 200 x\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n",
                "200 http1_0 length(0) content-length=0 connection=keep-alive", ""
            ),
            ("HTTP/1.1 204 No Content\r\n\r\n", "204 http1_1 none", ""),
            ("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", "204 http1_1 none content-length=0", ""),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n", "304 http1_1 none content-length=4", ""),
        ])
    func answers(_ text: String, _ head: String, _ body: String) {
        let reading = read(text, ends: true)
        #expect(reading == Reading(messages: [Reading.Message(head: head, body: Array(body.utf8), isComplete: true)]))
    }

    @Test(
        "a head that leaves doubt is refused",
        arguments: [
            start + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            start + "Content-Length: 2\r\nContent-Length: 6\r\n\r\nok", start + "Content-Length: +2\r\n\r\nok",
            start + "Content-Length: \(String(repeating: "9", count: 30))\r\n\r\nok",
            start + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            start + "Transfer-Encoding: x\r\n\r\nok",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", start + "X: a\r\n b\r\nContent-Length: 2\r\n\r\nok",
            start + "Content-Length: 2\r\nConnection: Content-Length\r\n\r\nok",
            start + "Connection: x, transfer-encoding\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            start + "Content-Length : 2\r\n\r\nok", start + ": a\r\nContent-Length: 2\r\n\r\nok",
            start + "X: a\0b\r\nContent-Length: 2\r\n\r\nok", start + "X: a\rb\r\nContent-Length: 2\r\n\r\nok",
            start + String(repeating: "X: y\r\n", count: 300_000),
            start + "X: " + String(repeating: "a", count: 300_000),
            String(repeating: "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", count: 200_000),
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + evil,
            "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nEVIL",
            "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nContent-Length: 4\r\n\r\nEVIL",
            "HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 600 X\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 2000 X\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 20 X\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 200\r\n\r\n",
            "HTTP/1.1 200 O\rK\r\n\r\n", "ok", "xx" + ok, "\r\n" + ok,
        ])
    func refused(_ text: String) {
        #expect(read(text) == Reading(violation: 502))
    }

    @Test(
        "a body that leaves doubt is refused",
        arguments: [
            chunked + "2\nok\r\n0\r\n\r\n", chunked + "2;\nok\r\nok\r\n0\r\n\r\n", chunked + "2\r\nokXX0\r\n\r\n",
            chunked + "ffffffffffffffff1\r\nok",
            chunked + "2\r\nok\r\n0\r\n" + String(repeating: "X: y\r\n", count: 200_000),
        ])
    func refusedBodies(_ text: String) {
        let reading = read(text)
        #expect(reading.violation == 502)
        #expect(reading.messages.map(\.isComplete) == [false])
    }

    @Test(
        "an end of the connection within an answer is refused",
        arguments: [
            "", "HTTP/1.1 200 OK\r\n", chunked + "5\r\nok", chunked + "2\r\nok\r\n",
            start + "Content-Length: 100\r\n\r\nok",
        ])
    func cut(_ text: String) {
        #expect(read(text, ends: true).violation == 502)
    }

    @Test("an answer to HEAD has no body, whatever it says")
    func head() {
        let reading = read("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + Self.ok, to: [.head, .get])
        #expect(reading.messages.map(\.body) == [[], Array("ok".utf8)])
        #expect(
            read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", to: [.head]).messages.first?.isComplete
                == true)
        #expect(read("HTTP/1.1 200 OK\r\n\r\n", to: [.head]).messages.first?.isComplete == true)
    }

    @Test("bytes that nobody asked for are refused")
    func unasked() {
        #expect(read(Self.ok, to: []) == Reading(violation: 502))
        let second = read(Self.ok + Self.evil)
        #expect(second.messages.map(\.body) == [Array("ok".utf8)] && second.violation == 502)
        let spilled = read("HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nEVIL")
        #expect(spilled.messages.count == 1 && spilled.violation == 502)
    }

    @Test("behind an answer that is the last, bytes are discarded")
    func afterLast() {
        let text = "HTTP/1.1 200 OK\r\nConnection: x, close\r\nContent-Length: 2\r\n\r\nok" + Self.evil
        let reading = read(text, to: [.get, .get])
        #expect(reading.messages.map(\.body) == [Array("ok".utf8)] && reading.violation == nil)
        #expect(reading.messages.first?.head.contains("close") == true)
    }

    @Test("it is known whether an answer has begun")
    func begun() throws {
        var parser = ResponseParser(headBytes: 1000)
        parser.expect(.get)
        var position = 0
        #expect(try parser.next([UInt8]().span, &position) == nil)
        #expect(!parser.hasBegun)
        #expect(try parser.next(Array("H".utf8).span, &position) == nil)
        #expect(parser.hasBegun)
    }
}

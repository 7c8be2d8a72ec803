import HTTP1
import HTTPMessage
import Testing

@Suite("Requests")
struct RequestParserTests {
    /// A request, or its refusal, whole and byte by byte.
    private func read(_ text: String, headBytes: Int = 16 << 10) -> Reading {
        let bytes = Array(text.utf8)
        let whole = readRequests([bytes], headBytes: headBytes)
        let slow = readRequests(single(bytes), headBytes: headBytes)
        #expect(whole == slow)
        return whole
    }

    private static func post(_ fields: String, _ body: String, version: String = "1.1") -> String {
        "POST /a HTTP/\(version)\r\nHost: h\r\n\(fields)\r\n\(body)"
    }

    @Test(
        "a right request has its parts",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / h http1_1 none"),
            ("get /who HTTP/1.1\r\nHost: h\r\n\r\n", "get /who h http1_1 none"),
            ("BREW-1 /a?b=c|d HTTP/1.1\r\nhOST:\th:8443 \r\n\r\n", "BREW-1 /a?b=c|d h:8443 http1_1 none"),
            ("GET / HTTP/1.0\r\n\r\n", "GET / - http1_0 none close"),
            ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / - http1_0 none connection=Keep-Alive"),
            ("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS * h http1_1 none"),
            ("GET http://a.example/b?c HTTP/1.1\r\nHost: evil\r\n\r\n", "GET /b?c a.example http1_1 none"),
            ("GET HTTPS://A:443 HTTP/1.1\r\nHost: a\r\n\r\n", "GET / A:443 http1_1 none"),
            ("GET http://a?b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /?b a http1_1 none"),
            ("OPTIONS http://a HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * a http1_1 none"),
            ("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / h http1_1 none"),
            ("GET / HTTP/1.1\r\nHost: h\r\nX-A:   b c\t\r\nx-a:\r\n\r\n", "GET / h http1_1 none x-a=b c x-a="),
            ("TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", "TRACE / h http1_1 none"),
        ])
    func heads(_ text: String, _ head: String) {
        #expect(read(text).messages.first?.head == head)
        #expect(read(text).messages.first?.isComplete == true)
    }

    @Test(
        "a wrong start line is refused",
        arguments: [
            ("GET  / HTTP/1.1", 400), ("GET /  HTTP/1.1", 400), ("GET\t/\tHTTP/1.1", 400), (" GET / HTTP/1.1", 400),
            ("GET /", 400), ("GET", 400), ("GET / ", 400), ("GET / HTTP/1.1 ", 400), ("GET / HTTP/1.10", 400),
            ("GET / http/1.1", 400), ("GET / ICE/1.1", 400), ("GET / HTTP/1,1", 400), ("GET / HTTP/x.1", 400),
            ("GET / HTTP/2.0", 505), ("GET / HTTP/1.2", 505), ("GET / HTTP/0.9", 505), ("GET / HTTP/9.9", 505),
            ("PRI * HTTP/2.0", 505), ("GET who HTTP/1.1", 400), ("GET /a#b HTTP/1.1", 400),
            ("GET /a\u{1} HTTP/1.1", 400),
            ("GET /ö HTTP/1.1", 400), ("GET /\u{7F} HTTP/1.1", 400), ("GET * HTTP/1.1", 400),
            ("GET h:443 HTTP/1.1", 400),
            ("CONNECT h:443 HTTP/1.1", 501), ("CONNECT /a HTTP/1.1", 501), ("GET ftp://a/ HTTP/1.1", 400),
            ("GET http:///a HTTP/1.1", 400), ("GET http://u@a/ HTTP/1.1", 400), ("GET http://a:b/ HTTP/1.1", 400),
            ("GET http://a#b HTTP/1.1", 400), ("GET http:// HTTP/1.1", 400), ("G\u{1}T / HTTP/1.1", 400),
            ("GE(T / HTTP/1.1", 400), ("/ HTTP/1.1", 400), ("GET /\r HTTP/1.1", 400), ("\u{16}\u{3}", 400),
        ])
    func startLines(_ line: String, _ status: Int) {
        #expect(read(line + "\r\nHost: h\r\n\r\n") == Reading(violation: status))
    }

    @Test(
        "a wrong field line is refused",
        arguments: [
            ": b", "abc", "a b: c", "a : b", "a\t: b", "a(: b", "ä: b", "a\0: b", "a: b\0c", "a: b\rc", "a: b\r",
            "a: \u{7F}",
            "a: \u{1}", " a: b", "\ta: b", "a: b\r\n c", "a: b\r\n\tc", "a: b\nc: d", "a: b\n", "\nc: d",
        ])
    func fieldLines(_ line: String) {
        #expect(read("GET / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n") == Reading(violation: 400))
        #expect(read("GET / HTTP/1.1\r\n\(line)\r\nHost: h\r\n\r\n") == Reading(violation: 400))
    }

    @Test(
        "a bare LF ends no line",
        arguments: ["GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\r\nHost: h\r\n\n", "\nGET"])
    func bareLineFeeds(_ text: String) {
        #expect(read(text) == Reading(violation: 400))
    }

    @Test("more than two empty lines before a request are refused, also between requests")
    func emptyLines() {
        let request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
        #expect(read("\r\n\r\n\r\n" + request).violation == 400)
        #expect(read(request + "\r\n\r\n" + request).messages.count == 2)
        #expect(read(request + "\r\n\r\n\r\n" + request).violation == 400)
    }

    @Test(
        "a host is needed, once, and right",
        arguments: [
            "", "Host:\r\n", "Host: a\r\nHost: a\r\n", "Host: a b\r\n", "Host: u@a\r\n", "Host: a/b\r\n",
            "Host: \u{FF}\r\n", "Host: a,b\r\n", "Host: a;b\r\n", "Host: a..b\r\n", "Host: .\r\n", "Host: a%41\r\n",
        ])
    func hosts(_ lines: String) {
        #expect(read("GET / HTTP/1.1\r\n\(lines)\r\n") == Reading(violation: 400))
        #expect(read("GET http://a/ HTTP/1.1\r\n\(lines)\r\n") == Reading(violation: 400))
    }

    @Test(
        "a length or coding that leaves doubt is refused",
        arguments: [
            ("Content-Length: 3\r\nContent-Length: 3\r\n", 400), ("Content-Length: 3\r\nContent-Length: 0\r\n", 400),
            ("Content-Length: 3, 3\r\n", 400), ("Content-Length:\r\n", 400), ("Content-Length: +3\r\n", 400),
            ("Content-Length: -3\r\n", 400), ("Content-Length: 0_3\r\n", 400), ("Content-Length: 0x3\r\n", 400),
            ("Content-Length: 3 0\r\n", 400), ("Content-Length: ３\r\n", 400), ("Content-Length: 3\u{C}\r\n", 400),
            ("Content-Length: 9999999999999999999\r\n", 400), ("Content-Length: 18446744073709551619\r\n", 400),
            ("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", 400),
            ("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", 400),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 400),
            ("Transfer-Encoding: identity\r\n", 501), ("Transfer-Encoding: gzip, chunked\r\n", 501),
            ("Transfer-Encoding: chunked, chunked\r\n", 501), ("Transfer-Encoding: xchunked\r\n", 501),
            ("Transfer-Encoding: \"chunked\"\r\n", 501), ("Transfer-Encoding: chunked;q=1\r\n", 501),
            ("Transfer-Encoding: , chunked\r\n", 501), ("Transfer-Encoding:\r\n", 400),
            ("Transfer-Encoding:\r\n chunked\r\n", 400),
            ("Transfer-Encoding: \u{B}chunked\r\n", 400), ("Transfer-Encoding : chunked\r\n", 400),
            ("Content-Length : 3\r\n", 400), ("X: y\r\n Content-Length: 3\r\n", 400),
            ("Content-Length: 3\r\nConnection: content-length\r\n", 400),
            ("Connection: close, Content-Length\r\nContent-Length: 3\r\n", 400),
            ("Transfer-Encoding: chunked\r\nConnection: Transfer-Encoding\r\n", 400),
        ])
    func lengths(_ fields: String, _ status: Int) {
        #expect(read(Self.post(fields, "abc")) == Reading(violation: status))
    }

    @Test("a body in HTTP/1.0 can't be chunked")
    func chunkedOld() {
        let text = Self.post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n", version: "1.0")
        #expect(read(text) == Reading(violation: 400))
    }

    @Test(
        "a body ends where its length says, whatever the method",
        arguments: ["POST", "GET", "HEAD", "OPTIONS", "DELETE", "X"])
    func lengthBodies(_ method: String) {
        let inner = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"
        let text = "\(method) /a HTTP/1.1\r\nHost: h\r\nContent-Length: \(inner.utf8.count)\r\n\r\n\(inner)"
        let reading = read(text + text)
        #expect(reading.messages.count == 2 && reading.violation == nil)
        #expect(reading.messages.allSatisfy { $0.body == Array(inner.utf8) && $0.isComplete })
    }

    @Test(
        "a chunked body is put together",
        arguments: [
            ("0\r\n\r\n", ""), ("3\r\nabc\r\n0\r\n\r\n", "abc"),
            ("3\r\nabc\r\nA\r\n0123456789\r\n000\r\n\r\n", "abc0123456789"),
            ("3;a=b;c=\"d\"\r\nabc\r\n0;e\r\n\r\n", "abc"), ("3 ;a\r\nabc\r\n0\r\n\r\n", "abc"),
            ("0000000000000003\r\nabc\r\n0\r\n\r\n", "abc"),
            ("3\r\nabc\r\n0\r\nX: y\r\nContent-Length: 50\r\n\r\n", "abc"),
            ("3\r\nabc\r\n0\r\nHost: evil\r\nTransfer-Encoding: chunked\r\n\r\n", "abc"),
            ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
        ])
    func chunks(_ body: String, _ content: String) {
        let next = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"
        let reading = read(Self.post("Transfer-Encoding: CHUNKED\r\n", body + next))
        #expect(reading.messages.first?.body == Array(content.utf8))
        // No trailer has come into the header.
        #expect(
            reading.messages.map(\.head) == [
                "POST /a h http1_1 chunked transfer-encoding=CHUNKED", "GET /next h http1_1 none",
            ])
        #expect(reading.violation == nil)
    }

    @Test(
        "a wrong chunk is refused",
        arguments: [
            "3\nabc\r\n0\r\n\r\n", "3;\nx\r\nabc\r\n0\r\n\r\n", "3;a\rb\r\nabc\r\n0\r\n\r\n", "3\r\nabcXX0\r\n\r\n",
            "3\r\nabc\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "3\r\nabc\r0\r\n\r\n", "0x3\r\nabc\r\n0\r\n\r\n",
            "+3\r\nabc\r\n",
            "-3\r\nabc\r\n", "0_3\r\nabc\r\n", " 3\r\nabc\r\n", "3 \r\nabc\r\n", "\r\nabc\r\n",
            "10000000000000003\r\nabc\r\n",
            "FFFFFFFFFFFFFFFF\r\nabc\r\n", "3\0\r\nabc\r\n", "3\r\r\nabc\r\n", "00000000000000003\r\nabc\r\n", "g\r\n",
            "3x\r\nabc\r\n", "3;\u{1}\r\nabc\r\n", "3\r\nabc\r\n0\n\r\n", "3\r\nabc\r\n0\r\n\n", "0\r\nabc\r\n\r\n",
            "0\r\n: a\r\n\r\n", "0\r\nX: a\r\n b\r\n\r\n", "0\r\nX : a\r\n\r\n", "0\r\nX: a\0\r\n\r\n",
            "0\r\nX: a\n\r\n",
            "0\r\nGET /x HTTP/1.1\r\nHost: h\r\n\r\n",
        ])
    func wrongChunks(_ body: String) {
        #expect(read(Self.post("Transfer-Encoding: chunked\r\n", body)).violation == 400)
    }

    @Test("long extensions, trailers and heads are refused before they are complete")
    func limits() {
        let chunked = Self.post("Transfer-Encoding: chunked\r\n", "")
        #expect(read(chunked + "3;" + String(repeating: "a", count: 300)).violation == 400)
        #expect(read(chunked + "0\r\n" + String(repeating: "X: y\r\n", count: 101)).violation == 431)
        #expect(read(chunked + "0\r\nX: " + String(repeating: "a", count: 1100), headBytes: 1000).violation == 431)
        #expect(read(String(repeating: "A", count: 1000), headBytes: 1000).violation == 431)
        #expect(
            read("GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 200), headBytes: 1000).violation == 431)
    }

    @Test("a head may have just its limit of bytes and of fields")
    func atLimits() {
        let start = "GET / HTTP/1.1\r\nHost: h\r\n"
        let fields = String(repeating: "x: y\r\n", count: 99)
        #expect(read(start + fields + "\r\n").messages.count == 1)
        #expect(read(start + fields + "x: y\r\n\r\n") == Reading(violation: 431))
        let size = (start + "\r\n").utf8.count
        #expect(read(start + "\r\n", headBytes: size).messages.count == 1)
        #expect(read(start + "\r\n", headBytes: size - 1) == Reading(violation: 431))
    }

    @Test(
        "a client is told to go on only if it waits, in HTTP/1.1, for a body",
        arguments: [
            ("Content-Length: 3\r\nExpect: 100-continue\r\n", "1.1", true),
            ("Content-Length: 3\r\nexpect: 100-CONTINUE\r\n", "1.1", true),
            ("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n", "1.1", true),
            ("Expect: 100-continue\r\n", "1.1", false),
            ("Content-Length: 0\r\nExpect: 100-continue\r\n", "1.1", false),
            ("Content-Length: 3\r\nExpect: 100-continue\r\n", "1.0", false),
            ("Content-Length: 3\r\nExpect: y 100-continue\r\n", "1.1", false),
            ("Content-Length: 3\r\nExpect: 200-ok\r\n", "1.1", false),
        ])
    func expectations(_ fields: String, _ version: String, _ expects: Bool) {
        let head = read(Self.post(fields, "", version: version)).messages.first?.head
        #expect(head?.contains(" continue ") == expects)
    }

    @Test("pipelined requests come one by one, in order, and what follows the last is discarded")
    func pipelining() {
        let many = (0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
        let reading = read(many + Self.post("Content-Length: 3\r\nConnection: x, close\r\n", "abc") + many)
        #expect(reading.messages.count == 51 && reading.violation == nil)
        #expect(reading.messages.prefix(50).map(\.head) == (0..<50).map { "GET /\($0) h http1_1 none" })
        #expect(reading.messages.last?.body == Array("abc".utf8))
    }

    @Test("it is known whether a further request has begun")
    func betweenRequests() throws {
        var parser = RequestParser(headBytes: 1000)
        func take(_ text: String) throws {
            var position = 0
            while try parser.next(Array(text.utf8).span, &position) != nil {}
        }
        try take("\r\n")
        #expect(parser.isBetweenRequests)
        try take("G")
        #expect(!parser.isBetweenRequests)
        try take("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n")
        #expect(!parser.isBetweenRequests)
        try take("a")
        #expect(parser.isBetweenRequests)
    }

    @Test("behind a violation nothing is parsed")
    func afterViolation() throws {
        var parser = RequestParser(headBytes: 1000)
        let bytes = Array("G(T / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        var position = 0
        #expect(throws: Violation.self) { _ = try parser.next(bytes.span, &position) }
        #expect(try parser.next(bytes.span, &position) == nil)
        #expect(position == bytes.count)
    }
}

import HTTP1
import HTTPMessage
import HTTPTypes
import Testing

@Suite("Messages as they are written")
struct EncoderTests {
    private static func lines(_ fields: HTTPFields) -> FieldLines { FieldLines(fields) }

    private func answer(_ head: ResponseHead) -> String {
        var bytes: [UInt8] = []
        ResponseEncoder.encode(head, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("an answer's framing and connection come from its head")
    func answers() {
        let fields = Self.lines([
            .contentType: "a/b", .contentLength: "7", .transferEncoding: "x", .connection: "y", .host: "z",
        ])
        #expect(
            answer(ResponseHead(version: .http1_1, status: .ok, fields: fields, framing: .length(5)))
                == "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\ncontent-length: 5\r\n\r\n")
        #expect(
            answer(ResponseHead(version: .http1_1, status: .ok, framing: .chunked, keepsAlive: false))
                == "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n")
        #expect(
            answer(ResponseHead(version: .http1_1, status: .ok, framing: .untilEnd))
                == "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
        #expect(
            answer(ResponseHead(version: .http1_0, status: .notFound))
                == "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: keep-alive\r\n\r\n")
        #expect(
            answer(ResponseHead(version: .http1_1, status: HTTPResponse.Status(code: 599)))
                == "HTTP/1.1 599 \r\ncontent-length: 0\r\n\r\n")
    }

    @Test("what has no body has no length", arguments: [100, 103, 204, 304])
    func bodiless(_ code: Int) {
        let text = answer(ResponseHead(version: .http1_1, status: HTTPResponse.Status(code: code)))
        #expect(!text.contains("content-length"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test("a value can't end its line")
    func splitting() {
        let fields = Self.lines([.eTag: "a\r\nSet-Cookie: x=y\0\r\n\r\nHTTP/1.1 200 OK"])
        let text = answer(ResponseHead(version: .http1_1, status: .noContent, fields: fields))
        #expect(text == "HTTP/1.1 204 No Content\r\netag: a  Set-Cookie: x=y     HTTP/1.1 200 OK\r\n\r\n")
    }

    private func request(_ head: RequestHead) throws -> String {
        var bytes: [UInt8] = []
        try RequestEncoder.encode(head, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("a request's host, framing, connection and expectation come from its head")
    func requests() throws {
        let fields = Self.lines([.accept: "a/b", .contentLength: "7", .host: "evil", .expect: "x"])
        #expect(
            try request(
                RequestHead(
                    version: .http1_1, method: .post, target: "/a?b", authority: "h:1", fields: fields,
                    framing: .length(5), keepsAlive: false, expectsContinue: true))
                == "POST /a?b HTTP/1.1\r\nhost: h:1\r\naccept: a/b\r\ncontent-length: 5\r\n"
                + "expect: 100-continue\r\nconnection: close\r\n\r\n")
        #expect(
            try request(RequestHead(version: .http1_1, method: .post, target: "/", authority: "h"))
                == "POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\n\r\n")
        #expect(
            try request(RequestHead(version: .http1_1, method: .options, target: "*", authority: "h"))
                == "OPTIONS * HTTP/1.1\r\nhost: h\r\n\r\n")
    }

    @Test(
        "a target or host that could end a line is refused",
        arguments: [
            ("/a b", "h"), ("/a\r\nX: y", "h"), ("/\n", "h"), ("/\0", "h"), ("", "h"), ("a", "h"), ("*", "h"),
            ("/#", "h"),
            ("/", "h\r\nX: y"), ("/", "h\0"), ("/", ""), ("/", "u@h"), ("/", "h h"),
        ])
    func refused(_ target: String, _ authority: String) {
        var bytes: [UInt8] = [1]
        #expect(throws: Violation.self) {
            try RequestEncoder.encode(
                RequestHead(version: .http1_1, method: .get, target: target, authority: authority), into: &bytes)
        }
        #expect(bytes == [1])
    }

    @Test("what is written is read as it was meant")
    func roundTrip() throws {
        var bytes: [UInt8] = []
        let head = RequestHead(
            version: .http1_1, method: .put, target: "/a", authority: "h", fields: Self.lines([.accept: "b"]),
            framing: .chunked)
        try RequestEncoder.encode(head, into: &bytes)
        for chunk in ["abc", "", String(repeating: "d", count: 300)] {
            ChunkEncoder.encode(chunk.utf8Span.span, into: &bytes)
        }
        ChunkEncoder.end(into: &bytes)
        let request = readRequests([bytes])
        #expect(request.messages.map(\.head) == ["PUT /a h http1_1 chunked accept=b transfer-encoding=chunked"])
        #expect(request.messages.first?.body.count == 303 && request.messages.first?.isComplete == true)
        bytes = []
        ResponseEncoder.encode(
            ResponseHead(version: .http1_1, status: .created, fields: Self.lines([.eTag: "b"]), framing: .length(3)),
            into: &bytes)
        let answer = readAnswers([bytes + Array("abc".utf8)])
        #expect(
            answer.messages == [
                Reading.Message(
                    head: "201 http1_1 length(3) etag=b content-length=3", body: Array("abc".utf8), isComplete: true)
            ])
    }
}

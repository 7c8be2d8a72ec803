import HTTPMessage
import HTTPTypes
import Testing

@testable import HTTP2

@Suite("Answers of an exact length")
struct PaddingTests {
    private let name = HTTPField.Name("cwa-header-padding") ?? .server

    private func fields(_ length: Int, _ more: (String, String)...) throws -> FieldLines {
        var lines = FieldLines()
        let all = [
            ("date", "Sat, 28 Nov 2026 20:39:00 GMT"), ("cache-control", "no-store"), ("content-length", "\(length)"),
        ]
        for (name, value) in all + more { lines.append(try #require(HTTPField.Name(name)), value) }
        return lines
    }

    /// A server that holds complete requests.
    private func holding(_ settings: [(UInt16, UInt32)] = []) throws -> Endpoint {
        let server = try Endpoint.server { $0.usesTables = false }
        server.recorder.onEnd = { _ in }
        if !settings.isEmpty {
            let payload = settings.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + $0.1.big }
            server.take(Frame(type: Frame.settings, payload: payload).bytes)
        }
        return server
    }

    private func encode(
        _ server: Endpoint, _ stream: Int32, _ status: HTTPResponse.Status, _ body: String, _ padding: HTTP2Padding,
        _ more: (String, String)...
    ) throws -> [UInt8]? {
        var lines = try fields(body.utf8.count)
        for (name, value) in more { lines.append(try #require(HTTPField.Name(name)), value) }
        return server.session.encodeResponse(
            stream, status: status, fields: lines, body: Array(body.utf8), padding: padding)
    }

    @Test(
        "each answer of a connection has 1,024 bytes, whatever table the client asks for",
        arguments: [[], [(1, 4096)], [(1, 0)], [(1, 65_536)], [(1, 100)], [(1, 0), (1, 4096)]] as [[(UInt16, UInt32)]])
    func lengths(_ settings: [(UInt16, UInt32)]) throws {
        let padding = try HTTP2Padding(length: 1024, name: name)
        let server = try holding(settings)
        let bodies = ["", "{}", #"{"tan":"f0ab7ac6-1ac8-41e6-8ba8-b0bc34ffae57"}"#, String(repeating: "b", count: 200)]
        var stream: Int32 = 1
        for (number, body) in (bodies + bodies).enumerated() {
            server.take(headers(stream, request(), end: true))
            let status = HTTPResponse.Status(code: [200, 201, 400, 503][number % 4])
            let bytes = try #require(try encode(server, stream, status, body, padding))
            #expect(bytes.count == 1024)
            let frames = Frame.all(in: bytes)
            #expect(frames.map(\.type) == [Frame.headers, Frame.data])
            #expect(frames.map(\.endsStream) == [false, true])
            let fields = server.decoder.fields(frames[0].payload)
            #expect(fields.first?.1 == "\(status.code)")
            #expect(fields.last?.0 == "cwa-header-padding")
            #expect(frames[1].payload == Array(body.utf8))
            #expect(server.recorder.events.last == .closed(stream, .noError))
            stream += 2
            // A change between two answers.
            if number == 3 { server.take(HTTP2Tests.settings((1, 200))) }
        }
    }

    @Test("no field of an answer enters the tables")
    func neverIndexed() throws {
        let padding = try HTTP2Padding(length: 1024, name: name)
        let server = try holding()
        server.take(headers(1, request(), end: true))
        let bytes = try #require(try encode(server, 1, 200, "{}", padding, ("x-own", "value")))
        var block = Frame.all(in: bytes)[0].payload[...]
        let update = block.removeFirst()
        #expect(update == 0x20)
        // `:status` as a literal that is never indexed, with the static table's name (RFC 7541, section 6.2.3).
        #expect(block.first == 0x18)
        let again = Decoder()
        _ = again.fields([0x20])
        #expect(again.fields(Array(block)).count == 6)
    }

    @Test("frames that were queued before leave with the next drain, not in the answer")
    func ahead() throws {
        let padding = try HTTP2Padding(length: 1024, name: name)
        let server = try holding()
        server.take(headers(1, request(), end: true))
        server.session.ping()
        let bytes = try #require(try encode(server, 1, 200, "{}", padding))
        #expect(bytes.count == 1024)
        #expect(server.drain().map(\.type) == [Frame.ping])
    }

    @Test("an answer can be encoded while bytes are received")
    func within() throws {
        let padding = try HTTP2Padding(length: 1024, name: name)
        let server = try holding()
        var answers: [Int?] = []
        server.recorder.onEnd = { [unowned server] stream in
            answers.append(try? self.encode(server, stream, 200, "{}", padding)?.count)
        }
        server.take((0..<10).flatMap { headers(2 * $0 + 1, request(), end: true) })
        #expect(answers == Array(repeating: 1024, count: 10))
        #expect(server.session.openStreams == 0)
    }

    @Test("an answer that is too long, or whose stream has ended, isn't encoded")
    func tooLong() throws {
        let padding = try HTTP2Padding(length: 1024, name: name)
        let server = try holding()
        server.take(headers(1, request(), end: true) + headers(3, request(), end: true) + reset(3))
        #expect(try encode(server, 1, 200, String(repeating: "b", count: 700), padding) == nil)
        #expect(try encode(server, 3, 200, "{}", padding) == nil)
        #expect(try encode(server, 5, 200, "{}", padding) == nil)
        #expect(try encode(server, 1, 200, "{}", padding)?.count == 1024)
    }

    @Test("a window that is too small leaves an answer short")
    func window() throws {
        let padding = try HTTP2Padding(length: 1024, name: name)
        let server = try holding([(4, 1)])
        server.take(headers(1, request(), end: true))
        let bytes = try #require(try encode(server, 1, 200, "{}", padding))
        #expect(bytes.count == 1023)
    }
}

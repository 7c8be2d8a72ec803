import HTTPMessage
import HTTPTypes
import Loop
import Testing

@testable import Calling

/// Answers that must not be believed, each kind reported of a client: two for one request, framing in doubt, floods, answers that
/// nobody asked for (RFC 9112, sections 6 and 9; RFC 9110, section 15.2).
@Suite(.timeLimit(.minutes(5))) struct EvilServerTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let action: ScriptedServer.Action
        /// The body that the caller gets; nil for an error.
        let body: String?
        /// Whether the connection is used again.
        var isKept = false
    }

    static let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"
    static let head = "HTTP/1.1 200 OK\r\n"
    static let chunked = head + "Transfer-Encoding: chunked\r\n"

    static func bad(_ title: String, _ answer: String) -> Case {
        Case(testDescription: title, action: .say(answer), body: nil)
    }

    static func cut(_ title: String, _ answer: String) -> Case {
        Case(testDescription: title, action: .sayAndClose(Array(answer.utf8)), body: nil)
    }

    static let cases: [Case] = [
        Case(testDescription: "a good one", action: .say(good), body: "ok", isKept: true),
        Case(testDescription: "two answers", action: .say(good + evil), body: "ok"),
        Case(
            testDescription: "an answer before the next request",
            action: .sayTwice(Array(good.utf8), Array(evil.utf8)), body: "ok"),
        bad(
            "a length beside chunks",
            head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
        bad("two lengths", head + "Content-Length: 2\r\nContent-Length: 6\r\n\r\nok"),
        bad("a length with a sign", head + "Content-Length: +2\r\n\r\nok"),
        bad("a length with letters", head + "Content-Length: 2abc\r\n\r\nok"),
        bad("a huge length", head + "Content-Length: 999999999999999999999999999999\r\n\r\nok"),
        bad("a list of codings", head + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
        bad("an unknown coding", head + "Transfer-Encoding: x\r\n\r\nok"),
        bad("chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
        bad("LF in a chunk's line", chunked + "\r\n2\nok\r\n0\r\n\r\n"),
        bad("LF behind a chunk's extension", chunked + "\r\n2;\nok\r\nok\r\n0\r\n\r\n"),
        bad("a chunk that spills", chunked + "\r\n2\r\nokXX0\r\n\r\n"),
        bad("a huge chunk", chunked + "\r\nffffffffffffffff1\r\nok"),
        cut("chunks that are cut", chunked + "\r\n5\r\nok"),
        cut("a body that is cut", head + "Content-Length: 100\r\n\r\nok"),
        cut("a head that is cut", head + "Content-Le"),
        bad("a flood of trailers", chunked + "\r\n2\r\nok\r\n0\r\n" + String(repeating: "X: y\r\n", count: 20_000)),
        bad("bare LF", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"),
        bad("a folded line", head + "X: a\r\n b\r\nContent-Length: 2\r\n\r\nok"),
        bad("a space before a colon", head + "Content-Length : 2\r\n\r\nok"),
        bad("an empty name", head + ": a\r\nContent-Length: 2\r\n\r\nok"),
        bad("NUL", head + "X: a\0b\r\nContent-Length: 2\r\n\r\nok"),
        bad("bare CR", head + "X: a\rb\r\nContent-Length: 2\r\n\r\nok"),
        bad("a flood of fields", head + String(repeating: "X: y\r\n", count: 30_000)),
        bad("a line without end", head + "X: " + String(repeating: "a", count: 300_000)),
        bad("a flood of interim answers", String(repeating: "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", count: 10_000)),
        Case(
            testDescription: "100 once", action: .say("HTTP/1.1 100 Continue\r\n\r\n" + good), body: "ok", isKept: true),
        bad("101 unasked", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + evil),
        bad("a body in 204", "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nEVIL"),
        Case(
            testDescription: "a body in 304",
            action: .say("HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nEVIL"),
            body: ""),
        bad("status 099", "HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\nok"),
        bad("status 2000", "HTTP/1.1 2000 X\r\nContent-Length: 2\r\n\r\nok"),
        bad("HTTP/2.0", "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        cut("HTTP/0.9", "ok"),
        bad("rubbish first", "xx" + good),
        Case(
            testDescription: "a body that ends with the connection",
            action: .sayAndClose(Array((head + "\r\nok").utf8)),
            body: "ok"),
        Case(
            testDescription: "more behind the last answer",
            action: .say(head + "Connection: close\r\nContent-Length: 2\r\n\r\nok" + evil), body: "ok"),
        Case(
            testDescription: "close within a list",
            action: .say(
                head + "Connection: x, close\r\nContent-Length: 2\r\n\r\nok"), body: "ok"),
        Case(testDescription: "HTTP/1.0", action: .say("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"), body: "ok"),
        Case(testDescription: "nothing", action: .close, body: nil),
    ]

    @Test("an answer that can't be believed is an error, and its connection isn't used again", arguments: cases)
    func answer(_ evil: Case) async throws {
        let cores = Cores(count: 1)
        let server = try ScriptedServer(on: cores.all) { _, path in path == "/case" ? evil.action : .say(Self.good) }
        let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)", authorities: nil, on: cores)
        let first = await self.body(client, "/case")
        #expect(first == evil.body)
        // A second answer arrives meanwhile.
        if case .sayTwice = evil.action { try await Task.sleep(for: .milliseconds(60)) }
        for _ in 0..<2 { #expect(await self.body(client, "/next") == "ok") }
        let requests = server.requests
        #expect(requests.count == 3)
        #expect((requests[1].connection == requests[0].connection) == evil.isKept)
        #expect(requests[2].connection == requests[1].connection)
        await client.close()
        await server.stop()
    }

    private func body(_ client: HTTPClient, _ path: String) async -> String? {
        let answer = try? await client.send(
            ClientRequest(.get, path), within: .seconds(20), limit: 1 << 20)
        return answer.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test("an answer that comes before the request is wholly written ends the connection")
    func early() async throws {
        let cores = Cores(count: 1)
        let server = try ScriptedServer(early: true, on: cores.all) { _, _ in
            .say("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        }
        let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)", authorities: nil, on: cores)
        for _ in 0..<2 {
            let body = [UInt8](repeating: 1, count: 32 << 20)
            let answer = try await client.send(
                ClientRequest(.post, "/", body: body), within: .seconds(20), limit: 100)
            #expect(answer.status == .forbidden)
        }
        #expect(server.requests.map(\.connection) == [0, 1])
        await client.close()
        await server.stop()
    }

    @Test("an answer in drops doesn't outlast the deadline")
    func drops() async throws {
        let cores = Cores(count: 1)
        let server = try ScriptedServer(on: cores.all) { _, _ in .say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na")
        }
        let client = try HTTPClient(base: "http://127.0.0.1:\(server.port)", authorities: nil, on: cores)
        do {
            _ = try await client.send(ClientRequest(.get, "/"), within: .milliseconds(100), limit: 100)
            Issue.record("an answer came")
        } catch {
            guard case .late = error else {
                Issue.record("\(error)")
                return
            }
        }
        await client.close()
        await server.stop()
    }
}

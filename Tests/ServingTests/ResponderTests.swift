import Foundation
import HTTPContract
import HTTPTypes
import Serving
import Synchronization
import TLS
import TestSupport
import Testing

/// Responders below the level of operations: when they read a body, and how they answer.
@Suite(.timeLimit(.minutes(5))) struct ResponderTests {
    private static func withListener<R: Sendable>(
        limits: Limits = .inner, _ respond: @escaping Responder, _ body: (Int) async throws -> R
    ) async throws -> R {
        let listener = Listener.plain(limits: limits) { $0.on(.post, "/a", use: respond) }
        return try await withService(listeners: [listener]) { _ in try await body(try await listener.boundPort) }
    }

    private static let head = "POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"

    @Test("a responder sees the request as it came, and its body when it reads it")
    func request() async throws {
        try await Self.withListener { exchange in
            let body = try await exchange.body(upTo: 3)
            let request = exchange.request
            return Response(
                status: .ok,
                text: "\(request.method) \(request.target) \(exchange.path) \(exchange.query) "
                    + "\(request.headers[.accept] ?? "-") \(String(decoding: body, as: UTF8.self))")
        } _: { port in
            let answer = try await send(
                .POST, "http://127.0.0.1:\(port)/a?b=c%20d", headers: [("accept", "x/y")], body: "xyz")
            #expect(answer.body == "POST /a?b=c%20d /a b=c%20d x/y xyz")
            #expect(try await send(.POST, "http://127.0.0.1:\(port)/a", body: "wxyz").status == 413)
        }
    }

    @Test("a body waits with the client until its responder reads it, however it is framed", arguments: [false, true])
    func late(chunked: Bool) async throws {
        let gate = Gate()
        try await Self.withListener { exchange in
            await gate.pass()
            return Response(status: .ok, body: try await exchange.body(upTo: 100_000))
        } _: { port in
            let body = String(repeating: "x", count: 90_000)
            let answer = try await RawConnection.open(port: port) { connection in
                if chunked {
                    try await connection.write(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
                    try await connection.write("\(String(90_000, radix: 16))\r\n\(body)\r\n0\r\n\r\n")
                } else {
                    try await connection.write(Self.head + "Content-Length: 90000\r\n\r\n\(body)")
                }
                gate.open()
                return await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.hasSuffix(body))
        }
    }

    @Test("what a responder leaves unread is discarded if it is small, otherwise the connection ends")
    func unread() async throws {
        try await Self.withListener { _ in
            Response(status: .ok)
        } _: { port in
            let open = Self.head.replacing("Connection: close\r\n", with: "")
            let answer = try await RawConnection.open(port: port) { connection in
                try await connection.write(open + "Content-Length: 3\r\n\r\nabc")
                try await connection.write(open + "Content-Length: 1000000\r\n\r\nabc")
                return await connection.readToEnd()
            }
            #expect(answer.matches(of: #/HTTP/1.1 200/#).count == 2)
            #expect(answer.matches(of: #/connection: close/#).count == 1)
        }
    }

    @Test("an answer of unknown length comes in chunks as they are written, and HTTP/1.0 gets it until the end")
    func stream() async throws {
        let respond: Responder = { exchange in
            _ = try await exchange.body(upTo: 0)
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    for part in ["one", "two", ""] { try await writer.write(Array(part.utf8)) }
                    writer.finish()
                })
        }
        try await Self.withListener(respond) { port in
            #expect(try await send(.POST, "http://127.0.0.1:\(port)/a").body == "onetwo")
            let old = try await RawConnection.open(port: port) { connection in
                try await connection.write("POST /a HTTP/1.0\r\n\r\n")
                return await connection.readToEnd()
            }
            #expect(old.hasSuffix("\r\n\r\nonetwo"))
            #expect(!old.contains("chunked"))
        }
    }

    @Test("an endless answer waits for its client, and ends with it")
    func endless() async throws {
        let ended = Gate()
        let respond: Responder = { _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    defer { ended.open() }
                    while true { try await writer.write([UInt8](repeating: 0x61, count: 1 << 16)) }
                })
        }
        try await Self.withListener(respond) { port in
            try await RawConnection.open(port: port) { connection in
                try await connection.write(Self.head + "\r\n")
                for _ in 0..<10 { #expect(!(await connection.read()).isEmpty) }
            }
            await ended.pass()
        }
    }

    @Test("a stream that fails, and a responder that hangs up, cut the connection")
    func cut() async throws {
        let respond: Responder = { exchange in
            guard exchange.query == "stream" else { throw ConnectionLost() }
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write([0x61])
                    throw ConnectionLost()
                })
        }
        try await Self.withListener(respond) { port in
            await #expect(throws: (any Error).self) { try await send(.POST, "http://127.0.0.1:\(port)/a") }
            await #expect(throws: (any Error).self) { try await send(.POST, "http://127.0.0.1:\(port)/a?stream") }
        }
    }

    @Test("the task of a caller who disconnects is cancelled")
    func disconnected() async throws {
        let (arrived, cancelled) = (Gate(), Gate())
        let respond: Responder = { _ in
            arrived.open()
            try? await Task.sleep(for: .seconds(60))
            if Task.isCancelled { cancelled.open() }
            return Response(status: .ok)
        }
        try await Self.withListener(respond) { port in
            try await RawConnection.open(port: port) { connection in
                try await connection.write(Self.head + "\r\n")
                await arrived.pass()
                try await connection.reset()
            }
            await cancelled.pass()
        }
    }

    @Test("a request and its children keep to the connection's thread, also after they have waited")
    func thread() async throws {
        let respond: Responder = { exchange in
            let before = pthread_self()
            _ = try await exchange.body(upTo: 10)
            try await Task.sleep(for: .milliseconds(1))
            async let child = pthread_self()
            return Response(status: .ok, text: "\(before == pthread_self()) \(await child == before)")
        }
        try await Self.withListener(respond) { port in
            let answer = try await send(.POST, "http://127.0.0.1:\(port)/a", body: "x")
            #expect(answer.body == "true true")
        }
    }

    @Test("over HTTP/2 an answer of unknown length comes as a whole, and HEAD without a body")
    func http2() async throws {
        let certificates = try TestCertificates()
        let files = try certificates.files(role: nil)
        let listener = Listener(name: "app", host: "127.0.0.1", port: 0, security: .publicTLS(files)) { routes in
            routes.on(.get, "/a") { _ in
                Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        try await writer.write([0x61])
                        try await writer.write([0x62])
                        writer.finish()
                    })
            }
            routes.on(.head, "/a") { _ in Response(status: .ok, text: "hidden") }
            routes.on(.post, "/a") { exchange in
                let body = try await exchange.body(upTo: 1 << 20)
                return Response(status: .ok, body: body)
            }
        }
        let tls = ClientTLS(trusting: try #require(files.authorities))
        try await withService(listeners: [listener]) { _ in
            let url = "https://localhost:\(try await listener.boundPort)/a"
            #expect(try await send(.GET, url, tls: tls, http2: true).body == "ab")
            let head = try await send(.HEAD, url, tls: tls, http2: true)
            #expect(head.fields["content-length"] == ["6"])
            #expect(head.body.isEmpty)
            // More than one window.
            let long = String(repeating: "x", count: 300_000)
            #expect(try await send(.POST, url, body: long, tls: tls, http2: true).body == long)
        }
    }
}

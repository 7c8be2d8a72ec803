import HTTPContract
import HTTPTypes
import Logging
import Running
import Serving
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
    private func limits(body: Duration = .seconds(10), handler: Duration = .seconds(10), idle: Duration = .seconds(20))
        -> Limits
    {
        var limits = Limits.inner
        limits.body = body
        limits.handler = handler
        limits.idle = idle
        return limits
    }

    private let head = "POST /greet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

    @Test("a handler that takes too long is answered with 503, cancelled, and not logged as a failure")
    func slowHandler() async throws {
        let log = CapturedLog()
        let cancelled = Mutex(false)
        let listener = Listener.plain(limits: limits(handler: .milliseconds(100))) { routes in
            routes.on(TestAPI.greet) { _, _ in
                do {
                    try await Task.sleep(for: .seconds(60))
                } catch {
                    cancelled.withLock { $0 = true }
                    throw error
                }
                return Welcome(text: "never")
            }
        }
        try await withService(listeners: [listener], logger: log.logger(.info)) { runtime in
            let answer = try await post(
                "http://127.0.0.1:\(try await listener.boundPort)/greet", #"{"name":"a"}"#)
            #expect(answer.status == 503)
            #expect(answer.body.isEmpty)
            #expect(answer.fields["connection"] == ["close"])
        }
        #expect(cancelled.withLock { $0 })
        #expect(!log.lines.contains { $0.contains("a handler failed") })
    }

    @Test("a handler that ignores its cancellation is answered for all the same")
    func stubbornHandler() async throws {
        let gate = Gate()
        let listener = Listener.plain(limits: limits(handler: .milliseconds(100))) { routes in
            routes.on(TestAPI.greet) { _, _ in
                await gate.pass()
                return Welcome(text: "late")
            }
        }
        try await withService(listeners: [listener]) { _ in
            let answer = try await post(
                "http://127.0.0.1:\(try await listener.boundPort)/greet", #"{"name":"a"}"#)
            #expect(answer.status == 503)
            gate.open()
        }
    }

    @Test("a body that doesn't arrive in time is answered with 408, and the connection is closed")
    func slowBody() async throws {
        let listener = Listener.greeting(.plain, limits: limits(body: .milliseconds(100)))
        let metrics = try await withService(listeners: [listener]) { runtime in
            let answer = try await RawConnection.open(port: try await listener.boundPort) { connection in
                try await connection.write(head + "Content-Length: 14\r\n\r\n{\"name\"")
                return await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.lowercased().contains("connection: close"))
            return runtime.metrics
        }
        // Requests are counted after they are answered, but before the service ends.
        let counted = #"http_requests_total{listener="app",route="/greet",status="408"} 1"#
        #expect(metrics.text.contains(counted))
    }

    @Test("an endless chunked body is cut at the limit")
    func endlessBody() async throws {
        let listener = Listener.greeting(.plain)
        try await withService(listeners: [listener]) { _ in
            let answer = try await RawConnection.open(port: try await listener.boundPort) { connection in
                try await connection.write(head + "Transfer-Encoding: chunked\r\n\r\n")
                let chunk = "400\r\n" + String(repeating: "x", count: 1024) + "\r\n"
                // Ends when the server closes the connection; nothing else would end it.
                while (try? await connection.write(chunk)) != nil {}
                return await connection.readToEnd()
            }
            // The answer may be lost to the reset of a connection that still sends.
            #expect(answer.hasPrefix("HTTP/1.1 413 ") || answer.isEmpty)
        }
    }

    @Test("a body that announces too much is refused before it is sent")
    func announcedBody() async throws {
        let listener = Listener.greeting(.plain)
        try await withService(listeners: [listener]) { _ in
            let answer = try await RawConnection.open(port: try await listener.boundPort) { connection in
                try await connection.write(head + "Content-Length: 65\r\n\r\n")
                return await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("a chunked body over the limit is answered with 413")
    func chunkedBody() async throws {
        let listener = Listener.greeting(.plain)
        try await withService(listeners: [listener]) { _ in
            let answer = try await RawConnection.open(port: try await listener.boundPort) { connection in
                try await connection.write(
                    head + "Transfer-Encoding: chunked\r\n\r\n41\r\n" + String(repeating: "x", count: 65) + "\r\n")
                return await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test("a connection that says nothing is closed")
    func idle() async throws {
        let listener = Listener.greeting(.plain, limits: limits(idle: .milliseconds(100)))
        try await withService(listeners: [listener]) { _ in
            let answer = try await RawConnection.open(port: try await listener.boundPort) { connection in
                try? await connection.write("POST /greet HT")
                return await connection.readToEnd()
            }
            #expect(answer.isEmpty)
        }
    }

    @Test("what is not HTTP is answered with 400")
    func notHTTP() async throws {
        let listener = Listener.greeting(.plain)
        try await withService(listeners: [listener]) { _ in
            let answer = try await RawConnection.open(port: try await listener.boundPort) { connection in
                try await connection.write("\u{16}\u{3}\u{1} hello\r\n\r\n")
                return await connection.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test("one connection carries many requests, also after a refusal whose body was read")
    func keepAlive() async throws {
        let listener = Listener.greeting(.plain)
        try await withService(listeners: [listener]) { _ in
            let answer = try await RawConnection.open(port: try await listener.boundPort) { connection in
                try await connection.write(head + "Content-Length: 1\r\n\r\n{")
                try await connection.write("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n{")
                try await connection.write(head + "Content-Length: 14\r\n\r\n{\"name\":\"Ada\"}")
                try await connection.write(head + "Connection: close\r\nContent-Length: 14\r\n\r\n{\"name\":\"Bob\"}")
                return await connection.readToEnd()
            }
            let statuses = answer.matches(of: /HTTP\/1.1 (\d{3})/).map { $0.output.1 }
            #expect(statuses == ["400", "404", "200", "200"])
        }
    }
}

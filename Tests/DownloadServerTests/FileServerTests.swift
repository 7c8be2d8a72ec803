import FileAnswers
import Foundation
import Loop
import ObjectStore
import PublishedTree
import Running
import TestSupport
import Testing

@testable import DownloadServer
@testable import Serving

/// The server of one core, with a caller whose every step the test decides.
@Suite struct FileServerTests {
    /// A caller who keeps what it receives, or receives nothing.
    private final class Caller: ConnectionHandler {
        var text = ""
        var isGone = false

        func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
            bytes.withUnsafeBufferPointer { text += String(decoding: $0, as: UTF8.self) }
            return bytes.count
        }

        func inputEnded(_ connection: Connection) { connection.close() }
        func closed(_ connection: Connection, _ reason: ConnectionEnd) { isGone = true }
    }

    private struct Stage {
        let core = Core(manual: Moment(nanoseconds: 1_000_000_000))
        let listener: ListenerCore
        let caller = Caller()
        let connection: Connection
        let server: Connection

        init(_ root: URL) throws {
            listener = ListenerCore(
                ListenerCore.Shared(
                    limits: FileServer.limits(connections: 10), budget: .shared, clock: .system, mutual: nil,
                    ofPrefix: nil, denials: nil, makeHandler: nil, balancers: .none, refusedHeaders: nil),
                server: FileServer(
                    ServedFiles(root: root.path, cache: FileCache()),
                    FileServerMetrics(listener: "listen", PrometheusMetrics())), on: core)
            (server, connection) = Connection.pair(on: core)
            server.start(try #require(listener.accept(server)))
            connection.start(caller)
        }

        func send(_ text: String) {
            connection.write(Array(text.utf8))
            for _ in 0..<10 { core.turn() }
        }

        /// Turns until something is so, for at most ten seconds of the machine's time.
        func turns(until isSo: () -> Bool) -> Bool {
            let end = Moment.now() + .seconds(10)
            while !isSo(), Moment.now() < end { core.turn() }
            return isSo()
        }
    }

    private func serving(_ size: Int = 4, _ body: (Stage) throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let content = [UInt8](repeating: UInt8(ascii: "a"), count: size)
        try await DirectoryStore(root: root).write(content, to: TreeKey("version"))
        try body(Stage(root))
    }

    private static let get = "GET /version HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test("requests in one piece are answered one by one, in order")
    func pipelining() async throws {
        try await serving { stage in
            stage.send(
                Self.get + "HEAD /version HTTP/1.1\r\nHost: h\r\n\r\n" + "GET /no HTTP/1.1\r\nHost: h\r\n\r\n"
                    + Self.get)
            let answers = stage.caller.text.split(separator: "HTTP/1.1 ").map(String.init)
            #expect(answers.map { $0.prefix(3) } == ["200", "200", "404", "200"])
            #expect(answers.map { $0.hasSuffix("\r\n\r\naaaa") } == [true, false, false, true])
            #expect(answers[1].contains("content-length: 4\r\n"))
            #expect(answers[2].contains("content-length: 0\r\n"))
            #expect(answers.allSatisfy { $0.contains("\r\ndate: ") && !$0.contains("connection: close") })
            #expect(!stage.caller.isGone)
        }
    }

    @Test(
        "what isn't HTTP, or too large, is answered with 400",
        arguments: [
            "GET  / HTTP/1.1\r\n", "CONNECT a:1 HTTP/1.1\r\n", "GET / HTTP/2.0\r\n", "\u{16}\u{3}\u{1}",
            "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 9000))\r\n",
            "GET / HTTP/1.1\r\n\(String(repeating: "X: a\r\n", count: 101))",
        ])
    func malformed(_ request: String) async throws {
        try await serving { stage in
            stage.send(request + "Host: h\r\n\r\n" + Self.get)
            #expect(stage.caller.text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            #expect(stage.caller.text.contains("connection: close\r\n"))
            #expect(stage.caller.text.split(separator: "HTTP/1.1 ").count == 1)
            #expect(stage.turns { stage.caller.isGone })
        }
    }

    @Test("a body is read and means nothing, and a long one ends the connection")
    func bodies() async throws {
        try await serving { stage in
            let head = "GET /version HTTP/1.1\r\nHost: h\r\nContent-Length: "
            stage.send(head + "\(Self.get.utf8.count)\r\n\r\n" + Self.get)
            #expect(stage.caller.text.split(separator: "HTTP/1.1 ").count == 1)
            stage.send(Self.get)
            #expect(stage.caller.text.split(separator: "HTTP/1.1 ").count == 2)
            #expect(!stage.caller.isGone)
            stage.send(head + "100000\r\n\r\n" + String(repeating: "a", count: 100_000))
            #expect(stage.turns { stage.caller.text.split(separator: "HTTP/1.1 ").count == 3 && stage.caller.isGone })
        }
    }

    @Test("a caller who asks for nothing is left after a minute")
    func idle() async throws {
        try await serving { stage in
            stage.send(Self.get)
            stage.core.advance(by: .seconds(59))
            #expect(!stage.caller.isGone)
            stage.core.advance(by: .seconds(2))
            #expect(stage.turns { stage.caller.isGone })
        }
    }

    @Test("a caller who receives less than 8 kB a second is left")
    func slow() async throws {
        try await serving(8_000_000) { stage in
            stage.connection.pauseReading()
            stage.send(Self.get)
            // A minute, and a second for each 8 kB.
            stage.core.advance(by: .seconds(1055))
            #expect(!stage.server.isClosing)
            stage.core.advance(by: .seconds(10))
            #expect(stage.server.isClosing)
        }
    }

    @Test("a service that shuts down waits twenty seconds for callers who don't receive their answers, and no longer")
    func shutdown() async throws {
        try await serving(8_000_000) { stage in
            stage.connection.pauseReading()
            stage.send(Self.get)
            var isDone = false
            stage.listener.drain { isDone = true }
            stage.core.advance(by: .seconds(19))
            #expect(!isDone)
            stage.core.advance(by: .seconds(2))
            #expect(isDone)
        }
    }

    @Test("a service that shuts down closes idle connections soon")
    func idleShutdown() async throws {
        try await serving { stage in
            stage.send(Self.get)
            var isDone = false
            stage.listener.drain { isDone = true }
            stage.core.advance(by: .seconds(1))
            #expect(stage.turns { isDone && stage.caller.isGone })
        }
    }
}

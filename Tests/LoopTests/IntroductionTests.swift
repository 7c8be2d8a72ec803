import Loop
import Testing

/// A connection that must begin with a balancer's header.
@Suite struct IntroductionTests {
    private final class Stage {
        let pair: (Connection, Connection)
        let core = Core(manual: Moment(nanoseconds: 1_000_000_000))
        let balancer = Recorder()
        let server = Introduced()

        init() {
            pair = Connection.pair(on: core)
            pair.1.expectProxyHeader()
            pair.0.start(balancer)
            pair.1.start(server)
        }

        func send(_ bytes: some Sequence<UInt8>) {
            pair.0.write(Array(bytes))
            for _ in 0..<3 { core.turn() }
        }
    }

    private final class Introduced: ConnectionHandler {
        let recorder = Recorder()
        private(set) var introductions: [SocketAddress?] = []
        var refuses = false

        func introduced(_ connection: Connection) {
            introductions.append(connection.remote)
            if refuses { connection.abort() }
        }
        func opened(_ connection: Connection) { recorder.opened(connection) }
        func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
            recorder.received(bytes, on: connection)
        }
        func closed(_ connection: Connection, _ reason: ConnectionEnd) { recorder.closed(connection, reason) }
    }

    @Test("the handler hears of the caller before the connection is open, and of nothing that belongs to the header")
    func together() {
        let stage = Stage()
        stage.send(proxyHeader(tcp4 + [4, 0, 1, 0]) + bytes("hello"))
        #expect(stage.server.introductions.map { $0?.bytes } == [[203, 0, 113, 7]])
        #expect(stage.server.recorder.isOpen)
        #expect(stage.server.recorder.text == "hello")
        stage.pair.1.write(bytes("good day"))
        #expect(stage.core.turns { stage.balancer.text == "good day" })
    }

    @Test("a header may come byte by byte, and until its last one nothing is open")
    func byteByByte() {
        let stage = Stage()
        for byte in proxyHeader(tcp4) {
            #expect(!stage.server.recorder.isOpen && stage.server.introductions.isEmpty)
            stage.send([byte])
        }
        #expect(stage.server.recorder.isOpen && stage.server.introductions.count == 1)
        stage.send(bytes("hello"))
        #expect(stage.server.recorder.text == "hello")
    }

    @Test("a connection of the balancer's own keeps its address")
    func local() {
        let stage = Stage()
        stage.send(proxyHeader(0x20, 0, []))
        #expect(stage.server.introductions == [nil])
        #expect(stage.server.recorder.isOpen)
    }

    @Test(
        "what isn't a header ends the connection at once, and nothing of it is read as anything else",
        arguments: ["GET / HTTP/1.1\r\n\r\n", "PROXY TCP4 203.0.113.7 198.51.100.1 1 2\r\n", "\r\n\r\n\0\r\nQUIT \n"])
    func noHeader(text: String) {
        let stage = Stage()
        stage.send(bytes(text))
        #expect(stage.server.recorder.ends == [.proxyHeader])
        #expect(!stage.server.recorder.isOpen && stage.server.introductions.isEmpty)
        #expect(stage.server.recorder.received == [])
        #expect(stage.core.turns { !stage.balancer.ends.isEmpty || stage.balancer.inputEnds > 0 })
    }

    @Test("a connection that ends within its header ends, at whichever byte")
    func cut() {
        let header = proxyHeader(tcp4)
        for end in header.indices {
            let stage = Stage()
            stage.send(header[..<end])
            #expect(stage.server.recorder.ends == [])
            stage.pair.0.abort()
            #expect(stage.core.turns { !stage.server.recorder.ends.isEmpty })
            #expect(!stage.server.recorder.isOpen && stage.server.introductions.isEmpty)
        }
    }

    @Test("the handler may refuse the caller, or give up waiting")
    func refusals() {
        let stage = Stage()
        stage.server.refuses = true
        stage.send(proxyHeader(tcp4) + bytes("hello"))
        #expect(stage.server.recorder.ends == [.closed])
        #expect(!stage.server.recorder.isOpen && stage.server.recorder.received == [])
        for ends in [Connection.close, Connection.abort] {
            let late = Stage()
            late.send(proxyHeader(tcp4).dropLast())
            ends(late.pair.1)()
            late.send([])
            #expect(late.server.recorder.ends == [.closed])
        }
    }
}

import Glibc
import Loop
import Testing

/// How a connection follows what TLS wants, with a transport that does as it is told.
@Suite struct SecureTests {
    /// Passes bytes through as they are, except where a test says otherwise.
    private final class Transport: SecureTransport {
        let descriptor: Int32
        var handshakes: [SecureOutcome] = []
        var reads: [SecureOutcome] = []
        var writes: [SecureOutcome] = []
        var shutDowns: [SecureOutcome] = []
        var hasPending = false
        private(set) var calls: [String] = []
        private(set) var written: [Int] = []
        let negotiatedProtocol: String? = "test"
        let peerCertificate: [UInt8]? = [1, 2, 3]
        let failure = "what went wrong"

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
        }

        private func next(_ name: String, _ list: inout [SecureOutcome]) -> SecureOutcome? {
            calls.append(name)
            return list.isEmpty ? nil : list.removeFirst()
        }

        func handshake() -> SecureOutcome { next("handshake", &handshakes) ?? .done(0) }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> SecureOutcome {
            if let outcome = next("read", &reads) {
                // What it claims to have read before.
                if case .done = outcome { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
                return outcome
            }
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            return count > 0 ? .done(count) : count == 0 ? .ended : .wantsRead
        }

        func write(_ bytes: UnsafeRawBufferPointer) -> SecureOutcome {
            if let outcome = next("write", &writes) { return outcome }
            let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            written.append(count)
            return count > 0 ? .done(count) : .wantsWrite
        }

        func shutDown() -> SecureOutcome { next("shutDown", &shutDowns) ?? .done(0) }
    }

    /// A connection with such a transport, and its clear peer.
    private struct Stage {
        let core = Core(manual: Moment(nanoseconds: 0))
        let connection: Connection
        let peer: Connection
        let transport: Transport
        let handler = Recorder()
        let far = Recorder()

        init(_ prepare: (Transport) -> Void = { _ in }) {
            var made: [Transport] = []
            (connection, peer) = Connection.pair(
                on: core,
                secure: {
                    let transport = Transport($0)
                    made.append(transport)
                    return transport
                })
            transport = made[0]
            prepare(transport)
            connection.start(handler)
            peer.start(far)
        }

        func turn(_ count: Int = 3) {
            for _ in 0..<count { core.turn() }
        }
    }

    @Test("a handshake goes on when the socket is ready for what it wants, and not before")
    func handshake() {
        let stage = Stage { $0.handshakes = [.wantsRead, .wantsWrite, .wantsRead, .done(0)] }
        stage.turn()
        // The first step at the start; then it waits for bytes.
        #expect(stage.transport.calls == ["handshake"])
        #expect(!stage.handler.isOpen)
        stage.peer.write([1])
        stage.turn(3)
        // A socket has room to write at once.
        #expect(stage.transport.calls.count >= 3)
        stage.turn()
        #expect(stage.handler.isOpen)
        #expect(stage.connection.negotiatedProtocol == "test")
        #expect(stage.connection.peerCertificate == [1, 2, 3])
        stage.turn()
        #expect(stage.handler.received == [1])
    }

    @Test("a handshake that fails ends the connection with the library's words")
    func failure() {
        let stage = Stage { $0.handshakes = [.failed] }
        stage.turn()
        #expect(stage.handler.ends == [.security("what went wrong")])
        #expect(!stage.handler.isOpen)
        for (outcome, end) in [
            (SecureOutcome.truncated, ConnectionEnd.truncated), (.ended, .truncated),
            (.broken(ECONNRESET), .socket(SocketProblem(code: ECONNRESET))),
        ] {
            let stage = Stage { $0.handshakes = [outcome] }
            stage.turn()
            #expect(stage.handler.ends == [end])
        }
    }

    @Test("reading that wants to write waits for writing alone, without spinning")
    func readWantsWrite() {
        let stage = Stage()
        stage.turn()
        // The socket is full of output that the peer doesn't read.
        stage.peer.pauseReading()
        stage.connection.outputMark = (high: 1 << 24, low: 1)
        stage.connection.write([UInt8](repeating: 1, count: 4_000_000))
        stage.turn()
        #expect(stage.connection.unsentBytes > 0)
        stage.transport.reads = [.wantsWrite]
        stage.peer.write([7])
        stage.turn()
        let calls = stage.transport.calls.count
        // There is input, but nobody asks for it.
        stage.turn(50)
        #expect(stage.transport.calls.count == calls)
        #expect(stage.handler.received == [])
        stage.peer.resumeReading()
        #expect(stage.core.turns { stage.far.received.count == 4_000_000 && stage.handler.received == [7] })
    }

    @Test("writing that wants to read waits for input alone, without spinning")
    func writeWantsRead() {
        let stage = Stage { $0.writes = [.wantsRead] }
        stage.turn()
        stage.connection.pauseReading()
        stage.connection.write([5])
        stage.turn(20)
        #expect(stage.transport.calls.filter { $0 == "write" }.count == 1)
        stage.peer.write([1])
        stage.turn()
        #expect(stage.far.received == [5])
    }

    @Test("what the library holds is offered without new bytes on the socket, as often as there is more")
    func pending() {
        let stage = Stage()
        stage.turn()
        stage.handler.whenReceived = { _ in stage.transport.hasPending = stage.handler.offers.count < 5 }
        stage.transport.reads = Array(repeating: .done(1), count: 5)
        stage.peer.write([1])
        stage.turn()
        #expect(stage.handler.offers == [1, 1, 1, 1, 1])
    }

    @Test("what the library holds is offered after a pause")
    func pendingAfterPause() {
        let stage = Stage()
        stage.turn()
        stage.handler.whenReceived = {
            if stage.handler.offers.count == 1 { $0.pauseReading() }
            stage.transport.hasPending = stage.handler.offers.count < 2
        }
        stage.transport.reads = [.done(1), .done(1)]
        stage.peer.write([1])
        stage.turn(10)
        #expect(stage.handler.offers == [1])
        stage.connection.resumeReading()
        stage.turn()
        #expect(stage.handler.offers == [1, 1])
    }

    @Test("what the library holds is offered when the output has left: nothing stays behind in it")
    func pendingAfterBlocking() {
        let stage = Stage()
        stage.turn()
        stage.peer.pauseReading()
        stage.connection.outputMark = (high: 1000, low: 500)
        stage.handler.whenReceived = {
            $0.write([UInt8](repeating: 1, count: 2_000_000))
            stage.transport.hasPending = stage.handler.offers.count < 3
        }
        stage.transport.reads = [.done(1), .done(1), .done(1)]
        stage.peer.write([1])
        stage.turn(10)
        #expect(stage.handler.offers.count == 1)
        stage.peer.resumeReading()
        #expect(stage.core.turns { stage.far.received.count == 6_000_000 })
        #expect(stage.handler.offers == [1, 1, 1])
    }

    @Test("what is written together becomes one piece of up to 16 KiB, and after blocking the same bytes come again")
    func records() {
        let stage = Stage { $0.writes = [.wantsWrite] }
        stage.turn()
        stage.connection.write(bytes("head"))
        stage.connection.write([UInt8](repeating: 2, count: 40_000))
        stage.connection.write(bytes("tail"))
        stage.turn()
        #expect(stage.transport.written == [16_384, 16_384, 40_008 - 2 * 16_384])
        #expect(stage.core.turns { stage.far.received.count == 40_008 })
        #expect(stage.far.received.starts(with: bytes("head")))
        #expect(stage.far.received.suffix(4) == bytes("tail")[...])
    }

    @Test("the end is said before the socket is shut, and waits until there is room for it")
    func shutDown() {
        let stage = Stage { $0.shutDowns = [.wantsWrite] }
        stage.turn()
        stage.connection.write([1])
        stage.connection.close()
        #expect(stage.core.turns { stage.handler.end == .closed })
        #expect(stage.transport.calls.suffix(3) == ["write", "shutDown", "shutDown"])
        #expect(stage.far.inputEnds == 1)
    }

    @Test("hanging up in the middle of TLS is no end of input")
    func truncated() {
        let stage = Stage()
        stage.turn()
        stage.transport.reads = [.truncated]
        stage.peer.write([1])
        stage.turn()
        #expect(stage.handler.ends == [.truncated])
        #expect(stage.handler.inputEnds == 0)
    }
}

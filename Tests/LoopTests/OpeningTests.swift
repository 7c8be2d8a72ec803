import Glibc
import Loop
import Testing

@Suite struct OpeningTests {
    private let core = Core(manual: Moment(nanoseconds: 0))

    private func open(_ host: String, _ port: Int, within time: Duration = .seconds(5)) -> (Connection, Recorder) {
        let handler = Recorder()
        return (Connection.open(to: host, port: port, on: core, within: time, handler: handler), handler)
    }

    /// A port where nobody listens: its socket is bound, so nobody else gets it.
    private final class DeadPort {
        let port: Int
        private let descriptor: Int32

        init() {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = bind(descriptor, $0, length)
                    _ = getsockname(descriptor, $0, &length)
                }
            }
            port = Int(UInt16(bigEndian: address.sin_port))
        }

        deinit { close(descriptor) }
    }

    @Test("a refused connection ends with the system's reason, also by name", arguments: ["127.0.0.1", "localhost"])
    func refused(host: String) {
        let dead = DeadPort()
        let (_, handler) = open(host, dead.port)
        #expect(core.turns { handler.end == .socket(SocketProblem(code: ECONNREFUSED)) })
        #expect(!handler.isOpen)
        core.advance(by: .seconds(10))
        #expect(handler.ends.count == 1)
        withExtendedLifetime(dead) {}
    }

    @Test("a name without an address says so")
    func unknownName() {
        let (_, handler) = open("nobody.invalid", 80)
        #expect(core.turns { handler.end == .name })
        let (_, odd) = open("", 80)
        #expect(core.turns { !odd.ends.isEmpty })
    }

    @Test("a name with several addresses is connected to where someone listens")
    func severalAddresses() throws {
        // localhost may be ::1 first; the acceptor has 127.0.0.1 alone.
        let acceptor = Acceptor(
            ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 5), on: [core]
        ) { _ in Recorder() }
        let (connection, handler) = open("localhost", try acceptor.open())
        #expect(core.turns { handler.isOpen })
        #expect(connection.remote?.bytes == [127, 0, 0, 1])
    }

    @Test("whoever doesn't answer is given up in time")
    func timeOut() throws {
        // A backlog that is full answers no more.
        let acceptor = Acceptor(
            ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 0, backlog: 0), on: [core]
        ) { _ in nil }
        let port = try acceptor.open()
        var last = open("127.0.0.1", port, within: .seconds(60))
        while core.turnsBriefly(until: { last.1.isOpen }) { last = open("127.0.0.1", port, within: .seconds(60)) }
        let (_, handler) = open("127.0.0.1", port, within: .seconds(3))
        core.advance(by: .milliseconds(2999))
        #expect(handler.ends == [])
        core.advance(by: .milliseconds(1))
        #expect(handler.ends == [.timedOut])
    }

    @Test("an attempt that is aborted ends at once, also while its name is looked up")
    func aborted() {
        let dead = DeadPort()
        for host in ["127.0.0.1", "localhost"] {
            let (connection, handler) = open(host, dead.port)
            connection.abort()
            core.turn()
            #expect(handler.ends == [.closed])
            core.advance(by: .seconds(10))
            #expect(handler.ends == [.closed])
        }
    }

    @Test("what is written before the connection is there leaves when it is")
    func writtenBefore() throws {
        let far = Recorder()
        let box = LocalTo(far, on: core)
        let acceptor = Acceptor(
            ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 5), on: [core]
        ) { _ in box.value }
        let (connection, _) = open("127.0.0.1", try acceptor.open())
        connection.write(bytes("early"))
        #expect(core.turns { far.text == "early" })
    }
}

extension Core {
    /// Turns for a tenth of a second at most.
    fileprivate func turnsBriefly(until isSo: () -> Bool) -> Bool {
        let end = Moment.now() + .milliseconds(100)
        while !isSo() {
            if Moment.now() > end { return false }
            turn()
        }
        return true
    }
}

import Glibc
import Loop
import Synchronization
import Testing

/// What epoll refuses, without memory or at the user's limit (epoll_ctl(2)), costs one connection.
@Suite struct RefusedDescriptorTests {
    /// Puts a file, which epoll refuses, in the place of a socket.
    private static func replace(_ descriptor: Int32) {
        let file = open("/proc/self/cmdline", O_RDONLY)
        dup2(file, descriptor)
        close(file)
    }

    /// Passes bytes through as they are.
    private final class Transport: SecureTransport {
        let descriptor: Int32
        /// What the first handshake wants, from which on the descriptor can't be watched; nil for a handshake that is done.
        let wanted: SecureOutcome?
        let hasPending = false
        let negotiatedProtocol: String? = nil
        let peerCertificate: [UInt8]? = nil
        let failure = ""

        init(_ descriptor: Int32, wanting wanted: SecureOutcome?) {
            self.descriptor = descriptor
            self.wanted = wanted
        }

        func handshake() -> SecureOutcome {
            guard let wanted else { return .done(0) }
            RefusedDescriptorTests.replace(descriptor)
            return wanted
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> SecureOutcome {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            return count > 0 ? .done(count) : count == 0 ? .ended : .wantsRead
        }

        func write(_ bytes: UnsafeRawBufferPointer) -> SecureOutcome {
            .done(send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)))
        }

        func shutDown() -> SecureOutcome { .done(0) }
    }

    /// When a descriptor is refused.
    enum Step: CaseIterable, Sendable {
        case adding, changing
    }

    /// `@unchecked Sendable`: everything happens on the test's thread.
    private final class Accepted: @unchecked Sendable {
        var handlers: [Recorder] = []
    }

    @Test("a connection that epoll refuses ends alone, and gives its place back", arguments: Step.allCases)
    func accepted(step: Step) throws {
        let core = Core(manual: Moment(nanoseconds: 0))
        let number = Atomic<Int>(0)
        let accepted = Accepted()
        let acceptor = Acceptor(
            ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 2), on: [core],
            secure: { descriptor in
                let isFirst = number.wrappingAdd(1, ordering: .relaxed).oldValue < 2
                if isFirst, step == .adding { Self.replace(descriptor) }
                return Transport(descriptor, wanting: isFirst && step == .changing ? .wantsWrite : nil)
            }
        ) { _ in
            accepted.handlers.append(Recorder())
            return accepted.handlers.last
        }
        let port = try acceptor.open()
        var clients: [Recorder] = []
        for _ in 0..<3 {
            let handler = Recorder()
            clients.append(handler)
            Connection.open(to: "127.0.0.1", port: port, on: core, within: .seconds(5), handler: handler)
                .write(bytes("hello"))
        }
        #expect(core.turns { accepted.handlers.last?.text == "hello" })
        #expect(accepted.handlers.count == 3)
        let refused = accepted.handlers.prefix(2)
        #expect(refused.allSatisfy { $0.ends == [.socket(SocketProblem(code: EPERM))] && !$0.isOpen })
        #expect(core.turns { clients.filter { !$0.ends.isEmpty }.count == 2 })
        #expect(acceptor.openConnections == 1)
    }

    @Test("a connection to a server whose descriptor epoll refuses ends")
    func opened() throws {
        let core = Core(manual: Moment(nanoseconds: 0))
        let options = ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 5)
        let acceptor = Acceptor(options, on: [core]) { _ in Recorder() }
        let handler = Recorder()
        let connection = Connection.open(
            to: "127.0.0.1", port: try acceptor.open(), on: core, secure: { Transport($0, wanting: .wantsRead) },
            within: .seconds(5), handler: handler)
        #expect(core.turns { handler.ends == [.socket(SocketProblem(code: EPERM))] })
        #expect(connection.isClosing)
    }
}

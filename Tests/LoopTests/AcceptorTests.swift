import Glibc
import Loop
import Synchronization
import Testing

@Suite struct AcceptorTests {
    /// An acceptor on a manual core, and what it accepted.
    private final class Stage {
        let core = Core(manual: Moment(nanoseconds: 0))
        /// `@unchecked Sendable`: everything happens on the test's thread.
        final class Accepted: @unchecked Sendable {
            var connections: [Connection] = []
            var handlers: [Recorder] = []
            var refuses = false
        }
        let accepted = Accepted()
        let acceptor: Acceptor
        let port: Int

        init(maxConnections: Int = 10, sendBuffer: Int? = nil) throws {
            var options = ListenOptions(host: "127.0.0.1", port: 0, maxConnections: maxConnections)
            options.sendBuffer = sendBuffer
            let accepted = accepted
            acceptor = Acceptor(options, on: [core]) { connection in
                if accepted.refuses { return nil }
                let handler = Recorder()
                accepted.connections.append(connection)
                accepted.handlers.append(handler)
                return handler
            }
            port = try acceptor.open()
        }

        func connect(_ handler: Recorder = Recorder(), to host: String = "127.0.0.1") -> (Connection, Recorder) {
            (Connection.open(to: host, port: port, on: core, within: .seconds(5), handler: handler), handler)
        }
    }

    @Test("a connection over TCP carries bytes both ways, and both sides know each other's address")
    func tcp() throws {
        let stage = try Stage()
        let (client, handler) = stage.connect()
        client.write(bytes("hello"))
        #expect(stage.core.turns { stage.accepted.handlers.first?.text == "hello" })
        #expect(handler.isOpen)
        #expect(client.remote?.bytes == [127, 0, 0, 1])
        #expect(client.remote?.port == stage.port)
        #expect(stage.accepted.connections[0].remote?.bytes == [127, 0, 0, 1])
        #expect(stage.accepted.connections[0].remote?.port != stage.port)
        stage.accepted.connections[0].write([UInt8](repeating: 3, count: 3_000_000))
        stage.accepted.connections[0].close()
        #expect(stage.core.turns { handler.end == .closed && stage.accepted.handlers[0].end == .closed })
        #expect(handler.received.count == 3_000_000)
        #expect(stage.acceptor.openConnections == 0)
    }

    @Test("at the limit connections wait, and are accepted as others end")
    func limit() throws {
        let stage = try Stage(maxConnections: 2)
        let clients = (0..<4).map { _ in stage.connect() }
        #expect(stage.core.turns { clients.allSatisfy(\.1.isOpen) && stage.accepted.handlers.count == 2 })
        for _ in 0..<20 { stage.core.turn() }
        #expect(stage.accepted.handlers.count == 2)
        #expect(stage.acceptor.openConnections == 2)
        clients[0].0.abort()
        #expect(stage.core.turns { stage.accepted.handlers.count == 3 })
        #expect(stage.acceptor.openConnections == 2)
        // Also after all have ended and come again.
        for client in clients { client.0.abort() }
        #expect(stage.core.turns { stage.acceptor.openConnections == 0 })
        let (_, late) = stage.connect()
        #expect(stage.core.turns { stage.accepted.handlers.count >= 4 && late.isOpen })
    }

    @Test("a connection that lingers still counts")
    func lingeringCounts() throws {
        let stage = try Stage(maxConnections: 1)
        let (_, silent) = stage.connect()
        silent.whenInputEnds = { _ in }
        #expect(stage.core.turns { stage.accepted.handlers.count == 1 })
        stage.accepted.connections[0].close()
        _ = stage.connect()
        for _ in 0..<20 { stage.core.turn() }
        #expect(stage.accepted.handlers.count == 1)
        stage.core.advance(by: .seconds(1))
        #expect(stage.core.turns { stage.accepted.handlers.count == 2 })
    }

    @Test("a connection that gets no handler is closed")
    func refused() throws {
        let stage = try Stage()
        stage.accepted.refuses = true
        let (_, handler) = stage.connect()
        #expect(stage.core.turns { handler.inputEnds == 1 || !handler.ends.isEmpty })
        #expect(stage.core.turns { stage.acceptor.openConnections == 0 })
    }

    @Test("a port that is taken can't be opened, although several cores of one acceptor share theirs")
    func taken() throws {
        let options = ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 10)
        let cores = [Core(manual: Moment(nanoseconds: 0)), Core(manual: Moment(nanoseconds: 0))]
        let one = Acceptor(options, on: cores) { _ in nil }
        let port = try one.open()
        for cores in [cores, [cores[0]]] {
            let other = Acceptor(
                ListenOptions(host: "127.0.0.1", port: port, maxConnections: 10), on: cores
            ) { _ in nil }
            #expect(throws: SocketProblem(code: EADDRINUSE)) { try other.open() }
        }
    }

    @Test("the reason why a port can't be opened is the system's")
    func reasons() throws {
        func open(_ host: String, _ port: Int) throws -> Int {
            try Acceptor(
                ListenOptions(host: host, port: port, maxConnections: 1), on: [Core(manual: Moment(nanoseconds: 0))]
            ) { _ in nil }.open()
        }
        #expect(throws: SocketProblem(code: EADDRNOTAVAIL)) { try open("192.0.2.1", 0) }
        #expect(throws: SocketProblem(code: EADDRNOTAVAIL)) { try open("no address", 0) }
        #expect(try open("localhost", 0) > 0)
        #expect(try open("0.0.0.0", 0) > 0)
    }

    @Test("the limit holds for all cores together")
    func coresTogether() async throws {
        let cores = Cores(count: 2)
        let open = OpenConnections()
        let acceptor = Acceptor(
            ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 3), on: cores.all
        ) { connection in
            open.add(LocalTo(connection, on: connection.core), on: connection.core)
            return Recorder()
        }
        let port = try acceptor.open()
        let client = Core(manual: Moment(nanoseconds: 0))
        let clients = (0..<8).map { _ in
            let handler = Recorder()
            return (
                Connection.open(to: "127.0.0.1", port: port, on: client, within: .seconds(60), handler: handler),
                handler
            )
        }
        // A connection takes its place before its handler is made.
        #expect(client.turns { clients.allSatisfy(\.1.isOpen) && open.total == 3 })
        #expect(acceptor.openConnections == 3)
        // One after another ends, and another takes its place, whichever core it belongs to.
        for _ in 0..<5 {
            let count = open.total
            open.endOne()
            #expect(client.turns { open.total == count + 1 })
            #expect(acceptor.openConnections <= 3)
        }
        await acceptor.stopAccepting()
    }

    private final class OpenConnections: Sendable {
        private let list = Mutex<(open: [(Core, LocalTo<Connection>)], total: Int)>(([], 0))
        var total: Int { list.withLock { $0.total } }
        func add(_ connection: LocalTo<Connection>, on core: Core) {
            list.withLock {
                $0.open.append((core, connection))
                $0.total += 1
            }
        }
        func endOne() {
            let (core, connection) = list.withLock { $0.open.removeFirst() }
            core.execute { connection.value.abort() }
        }
    }

    @Test("what the kernel has accepted before accepting stops is still served, what comes later is refused")
    func stopping() async throws {
        let stage = try Stage()
        let (client, handler) = stage.connect()
        client.write(bytes("late"))
        // The client's side alone: it is connected, but nobody has accepted it.
        let connected = stage.core.isCurrent
        #expect(connected)
        await stage.acceptor.stopAccepting()
        #expect(stage.core.turns { stage.accepted.handlers.first?.text == "late" })
        #expect(handler.isOpen)
        let (_, refused) = stage.connect()
        #expect(stage.core.turns { refused.end == .socket(SocketProblem(code: ECONNREFUSED)) })
    }

    @Test("with a full table of descriptors accepting waits without spinning, and then goes on")
    func fullTable() async throws {
        // The table of this thread alone becomes full (unshare(2), CLONE_FILES), not that of the tests beside it.
        let failures = await withCheckedContinuation { continuation in
            Isolated.run(Self.fillTable) { continuation.resume(returning: $0) }
        }
        #expect(failures == [])
    }

    private static func fillTable() -> [String] {
        guard unshare(0x400) == 0 else { return ["no table of its own"] }
        guard let stage = try? Stage() else { return ["no stage"] }
        var failures: [String] = []
        func check(_ isSo: Bool, _ name: String) { if !isSo { failures.append(name) } }
        let (first, firstHandler) = stage.connect()
        check(stage.core.turns { stage.accepted.handlers.count == 1 && firstHandler.isOpen }, "the first is accepted")
        let (_, second) = stage.connect()
        // The client's descriptor is the last that there is room for.
        var copies: [Int32] = []
        while true {
            let copy = dup(0)
            if copy < 0 { break }
            copies.append(copy)
        }
        for _ in 0..<20 { stage.core.turn() }
        check(second.isOpen, "the second is connected")
        check(stage.accepted.handlers.count == 1, "the second isn't accepted")
        // Open connections go on.
        first.write(bytes("a"))
        check(stage.core.turns { stage.accepted.handlers[0].text == "a" }, "the first goes on")
        stage.core.advance(by: .milliseconds(350))
        check(stage.accepted.handlers.count == 1, "the second still isn't accepted")
        close(copies.removeLast())
        for _ in 0..<20 { stage.core.turn() }
        check(stage.accepted.handlers.count == 1, "nothing is tried before its time")
        stage.core.advance(by: .milliseconds(100))
        check(stage.core.turns { stage.accepted.handlers.count == 2 }, "the second is accepted")
        for copy in copies { close(copy) }
        return failures
    }
}

@_silgen_name("unshare") private func unshare(_ flags: Int32) -> Int32

/// A thread for one test, and another that waits for it.
///
/// A thread begins with the table of the one that starts it, and whoever resumes a task may start threads for others. So a task is
/// resumed by a thread that has the process's own table.
private enum Isolated {
    private final class Outcome: Sendable {
        let failures = Mutex<[String]>([])
    }

    static func run(_ work: @escaping @Sendable () -> [String], then: @escaping @Sendable ([String]) -> Void) {
        let waiting = start {
            let outcome = Outcome()
            let thread = start {
                let failures = work()
                outcome.failures.withLock { $0 = failures }
            }
            pthread_join(thread, nil)
            then(outcome.failures.withLock { $0 })
        }
        pthread_detach(waiting)
    }

    private static func start(_ work: @escaping @Sendable () -> Void) -> pthread_t {
        final class Box {
            let work: @Sendable () -> Void
            init(_ work: @escaping @Sendable () -> Void) { self.work = work }
        }
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { box in
                if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().work() }
                return nil
            }, Unmanaged.passRetained(Box(work)).toOpaque())
        return thread
    }
}

import Glibc
import Loop
import Metrics
import Running
import TLS
import TestSupport
import Testing

@testable import Serving

/// A listener behind a load balancer, over TCP and TLS, on a core with virtual time.
@Suite struct BalancerTests {
    private final class Stage {
        let core = Core(manual: Moment(nanoseconds: 1_000_000_000_000))
        let metrics = PrometheusMetrics()
        let listener: ListenerCore
        let port: Int
        private let client: TLSContext
        private let acceptor: Acceptor

        /// - Parameter balancers: as an operator lists them; this machine connects from 127.0.0.1.
        init(_ balancers: String, connectionsOfPrefix: Int = 2) throws {
            var limits = Limits.outer
            limits.connectionsOfPrefix = connectionsOfPrefix
            let certificates = try TestCertificates()
            let tls = try ReloadedTLS(try certificates.files(role: nil), label: ("listener", "listen")) { material in
                try material.publicServer(protocols: ["http/1.1"])
            }
            client = try TLSFiles.anonymousClient(trusting: certificates.directory + "/authority.pem")
            let server = ScriptedServer({ Answering($0) }, padding: nil)
            let listener = ListenerCore(
                ListenerCore.Shared(
                    limits: limits, budget: BytesInFlight(limit: 1 << 20, metrics: nil), clock: .system, mutual: nil,
                    ofPrefix: ConnectionLimit(connectionsOfPrefix, metrics: metrics), denials: nil, makeHandler: nil,
                    balancers: try Balancers(of: "listen", Settings(["listen.proxyProtocol": balancers])),
                    refusedHeaders: Counter(label: "proxy_headers_refused_total", dimensions: [], factory: metrics)),
                server: server, on: core)
            self.listener = listener
            let local = LocalTo(listener, on: core)
            acceptor = Acceptor(
                ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 100), on: [core],
                secure: { tls.current.accept($0) }, accepted: { local.value.accept($0) })
            port = try acceptor.open()
        }

        func turn() { for _ in 0..<20 { core.turn() } }

        /// A connection that begins with these bytes, and goes on with TLS and a request.
        func connect(_ start: [UInt8] = []) -> Caller {
            let caller = Caller()
            let connection = Connection.open(
                to: "127.0.0.1", port: port, on: core,
                secure: { [client] descriptor in
                    let sent = send(descriptor, start, start.count, 0)
                    precondition(sent == start.count, "the socket has no room for a header")
                    return client.connect(descriptor, serverName: "localhost")
                }, within: .seconds(60), handler: caller)
            caller.connection = connection
            #expect(core.turns { caller.isAnswered || caller.hasEnded })
            return caller
        }
    }

    private final class Caller: ConnectionHandler {
        var connection: Connection?
        private(set) var isAnswered = false
        private(set) var hasEnded = false

        func opened(_ connection: Connection) {
            connection.write(Array("GET /x HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        }
        func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
            isAnswered = true
            return bytes.count
        }
        func closed(_ connection: Connection, _ reason: ConnectionEnd) { hasEnded = true }
    }

    private func header(_ address: [UInt8], command: UInt8 = 0x21) -> [UInt8] {
        let length = UInt8(address.count * 2 + 4)
        return [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A] + Array("QUIT\n".utf8)
            + [command, address.count == 4 ? 0x11 : 0x21, 0, length] + address + address + [0x12, 0x34, 0x01, 0xBB]
    }

    @Test("connections through a balancer count for the callers that it names, and one at its limit harms no other")
    func ownLimits() throws {
        let stage = try Stage("192.0.2.1, 127.0.0.0/8")
        let one = (0..<3).map { _ in stage.connect(header([203, 0, 113, 7])) }
        #expect(one.map(\.isAnswered) == [true, true, false])
        // Its network in the form of IPv6 is the same one.
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 203, 0, 113, 9]
        #expect(!stage.connect(header(mapped)).isAnswered)
        #expect(stage.connect(header([203, 0, 114, 7])).isAnswered)
        #expect(stage.connect(header([0x20, 1] + [UInt8](repeating: 0, count: 14))).isAnswered)
        #expect(stage.metrics.text.contains("connections_refused_total 2"))
        // One that ends makes room for another of its own network.
        one[0].connection?.abort()
        #expect(stage.core.turns { one[0].hasEnded })
        stage.turn()
        #expect(stage.connect(header([203, 0, 113, 7])).isAnswered)
        #expect(!stage.connect(header([203, 0, 113, 7])).isAnswered)
    }

    @Test("without the PROXY protocol all callers of a balancer share its limit")
    func shared() throws {
        let stage = try Stage("")
        #expect((0..<3).map { _ in stage.connect().isAnswered } == [true, true, false])
    }

    @Test("a balancer's own connections count for its address")
    func own() throws {
        let stage = try Stage("127.0.0.1")
        let checks = (0..<3).map { _ in stage.connect(header([203, 0, 113, 7], command: 0x20)) }
        #expect(checks.map(\.isAnswered) == [true, true, false])
        #expect(stage.connect(header([203, 0, 113, 7])).isAnswered)
    }

    @Test("a header from anybody else isn't read")
    func liars() throws {
        let stage = try Stage("192.0.2.1,127.0.0.2,::1")
        #expect(!stage.connect(header([203, 0, 113, 7])).isAnswered)
        #expect(stage.connect().isAnswered)
        #expect(!stage.metrics.text.contains("proxy_headers_refused_total 1"))
    }

    @Test("a balancer's connection without a header is closed and counted")
    func withoutHeader() throws {
        let stage = try Stage("127.0.0.1")
        #expect(!stage.connect().isAnswered)
        #expect(!stage.connect(Array("PROXY TCP4 203.0.113.7 127.0.0.1 1 2\r\n".utf8)).isAnswered)
        #expect(stage.metrics.text.contains("proxy_headers_refused_total 2"))
        #expect(stage.listener.isEmpty)
        // Neither took a place of the balancer's network.
        #expect(stage.connect(header([203, 0, 113, 7], command: 0x20)).isAnswered)
        #expect(stage.connect(header([203, 0, 113, 7], command: 0x20)).isAnswered)
    }

    @Test("a header that doesn't end is waited for as long as for a handshake, and so is a handshake behind one")
    func deadline() throws {
        let stage = try Stage("127.0.0.1")
        for start in [[], Array(header([203, 0, 113, 7]).dropLast()), header([203, 0, 113, 7])] {
            let silent = Silent(start)
            let connection = Connection.open(
                to: "127.0.0.1", port: stage.port, on: stage.core, within: .seconds(60), handler: silent)
            stage.turn()
            #expect(stage.core.turns { !stage.listener.isEmpty })
            stage.core.advance(by: .seconds(9))
            stage.turn()
            #expect(!stage.listener.isEmpty)
            stage.core.advance(by: .milliseconds(1100))
            #expect(stage.core.turns { stage.listener.isEmpty && silent.hasEnded })
            connection.abort()
        }
    }

    private final class Silent: ConnectionHandler {
        private let start: [UInt8]
        private(set) var hasEnded = false
        init(_ start: [UInt8]) { self.start = start }
        func opened(_ connection: Connection) { connection.write(start) }
        func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int { bytes.count }
        func closed(_ connection: Connection, _ reason: ConnectionEnd) { hasEnded = true }
    }

    // MARK: The setting

    private func balancers(_ text: String) throws -> Balancers {
        try Balancers(of: "listen", Settings(["listen.proxyProtocol": text]))
    }

    @Test(
        "what is no address and no range, or means every address, is refused",
        arguments: [
            "balancer.example.org", "10.0.0.1/33", "10.0.0.0/0", "::/0", "10.0.0.1/8", "10.0.0.0/+8", "10.0.0.0/", "/8",
            "fd00::1/64", "::ffff:10.0.0.0/95", "::ffff:0.0.0.0/96", "10.0.0.1 10.0.0.2", "10.0.0.0/8/8",
        ])
    func unusable(text: String) {
        #expect(throws: ConfigurationProblem.self) { try balancers("192.0.2.1," + text) }
    }

    @Test("ranges have the addresses of their first bits, in either form of IPv4")
    func ranges() throws {
        // Addresses of peers come from sockets, so each range is asked about 127.0.0.1.
        for (text, isIn) in [
            ("127.0.0.1", true), ("127.0.0.1/32", true), ("127.0.0.0/31", true), ("127.0.0.2/31", false),
            ("126.0.0.0/7", true), ("124.0.0.0/7", false), ("::ffff:127.0.0.1", true), ("::ffff:127.0.0.0/104", true),
            ("::ffff:126.0.0.0/104", false), ("::1", false), ("::/96", false), ("", false),
        ] {
            let stage = try Stage(text)
            #expect(stage.connect(header([203, 0, 113, 7])).isAnswered == isIn, "\(text)")
        }
    }
}

extension Core {
    /// Turns until something is so; false if it isn't after ten seconds of the machine's time.
    fileprivate func turns(until isSo: () -> Bool) -> Bool {
        let end = Moment.now() + .seconds(10)
        while !isSo() {
            if Moment.now() > end { return false }
            turn()
        }
        return true
    }
}

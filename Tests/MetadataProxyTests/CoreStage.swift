import Glibc
import HTTPContract
import HTTPMessage
import HTTPTypes
import Loop
import Running
import TestSupport
import VerificationAPI

@testable import Calling
@testable import MetadataProxy
@testable import Serving

/// The proxy's listener on a core with virtual time, in front of a service that never replies by itself, and one client at a
/// time over a pair of sockets.
final class CoreStage {
    let core = Core(manual: Moment(nanoseconds: 1_000_000_000_000))
    let metrics = PrometheusMetrics()
    let memory: BytesInFlight
    let server: Watched
    let listener: ListenerCore
    let service: SilentService
    private(set) var client: WireClient

    /// Remembers the exchanges that the proxy admits.
    final class Watched: RequestServer {
        let proxy: ProxyCore
        var admitted: [ProxyExchange] = []

        init(_ proxy: ProxyCore) { self.proxy = proxy }

        var padding: AnswerPadding? { proxy.padding }
        func begin(_ exchange: ServerExchange) -> (any ExchangeHandler)? {
            let handler = proxy.begin(exchange)
            if let exchange = handler as? ProxyExchange { admitted.append(exchange) }
            return handler
        }
        func refusal(_ status: HTTPResponse.Status) -> ServerAnswer { proxy.refusal(status) }
        func shortOfMemory(_ exchange: ServerExchange) -> ServerAnswer { proxy.shortOfMemory(exchange) }
    }

    /// - Parameters:
    ///   - bytes: for all requests, of which a quarter is one address prefix's.
    ///   - connections: to the service.
    ///   - change: changes the listener's limits.
    init(
        _ operation: EndpointDescription = EndpointDescription(VerificationAPI.tan),
        by schedule: any AnswerSchedule = DeadlineSchedule(interval: .milliseconds(250)), bytes: Int = 1 << 20,
        connections: Int = 64, clock: WallClock = .system, http2: Bool = false,
        _ change: (inout Limits) -> Void = { _ in }
    ) throws {
        memory = BytesInFlight(limit: bytes, metrics: metrics)
        var plan = ProxyPlan(
            listener: "test", schedule: schedule, bytesInFlight: memory, limit: PrefixLimit(1_000_000, clock: .system),
            metrics: metrics)
        plan.forward(operation, to: try .upstream("http://upstream:8010", tls: nil, name: "upstream"))
        service = SilentService()
        guard let origin = Origin("http://127.0.0.1:\(service.port)") else { preconditionFailure() }
        var peer = ClientPeer(origin, context: { nil })
        peer.connections = connections
        peer.reconnects = false
        let pool = ClientPool(peer, on: core, share: 1)
        server = Watched(ProxyCore(plan) { _ in pool })
        let described = plan.listener(
            host: "127.0.0.1", port: 0, connections: 100, connectionsOfPrefix: 100, connectionBytes: 256 << 10,
            idle: .seconds(10), life: .seconds(60), tls: nil)
        var limits = described.limits
        change(&limits)
        listener = ListenerCore(
            ListenerCore.Shared(
                limits: limits, budget: memory, clock: clock, mutual: nil, ofPrefix: nil, denials: nil,
                makeHandler: nil, balancers: .none, refusedHeaders: nil), server: server, on: core)
        client = WireClient()
        connect(http2: http2)
    }

    /// Opens another connection.
    func connect(http2: Bool = false) {
        let (ours, theirs) = Connection.pair(
            on: core, secure: http2 ? { ClearTransport($0) } : nil)
        client = WireClient()
        client.connection = theirs
        // It reads, whatever it hasn't been able to write.
        theirs.outputMark = (high: .max, low: 0)
        if let handler = listener.accept(ours) { ours.start(handler) }
        theirs.start(client)
        turn()
    }

    func turn() { for _ in 0..<4 { core.turn() } }

    func wait(_ duration: Duration) {
        core.advance(by: duration)
        turn()
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        client.connection?.write(bytes)
        turn()
    }

    /// Whether a request that begins now has room.
    var hasRoom: Bool { memory.share(1, cell: BytesInFlight.cell(of: AddressPrefix(nil))) != nil }

    /// A request as apps send it.
    static func post(
        _ path: String = "/version/v1/tan", media: String = "application/json", body: String = "{}"
    ) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: \(media)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    static let unknown = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
}

/// A reply of a service.
func reply(_ status: HTTPResponse.Status, _ body: String = "", _ fields: HTTPFields = [:]) -> ClientResponse {
    ClientResponse(status: status, fields: FieldLines(fields), body: Array(body.utf8))
}

/// Collects what the proxy sends.
final class WireClient: ConnectionHandler {
    var connection: Connection?
    private(set) var bytes: [UInt8] = []
    /// The pieces as they came.
    private(set) var pieces: [[UInt8]] = []
    /// Whether the proxy has closed.
    private(set) var hasEnded = false
    /// Whether nothing is read.
    var isDeaf = false { didSet { isDeaf ? connection?.pauseReading() : connection?.resumeReading() } }
    /// Looks at all bytes.
    var watch: ([UInt8]) -> Void = { _ in }

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        if isDeaf { return 0 }
        let piece = bytes.withUnsafeBufferPointer { Array($0) }
        self.bytes += piece
        pieces.append(piece)
        watch(piece)
        return bytes.count
    }

    func inputEnded(_ connection: Connection) {
        hasEnded = true
        connection.close()
    }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) { hasEnded = true }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The statuses of the answers of HTTP/1.1.
    var statuses: [Int] { text.matches(of: #/HTTP/1.1 (\d{3}) /#).compactMap { Int($0.output.1) } }

    /// Forgets what has come so far, and returns it.
    func take() -> [UInt8] {
        defer {
            bytes = []
            pieces = []
        }
        return bytes
    }
}

/// A port of this machine at which connections are made, and nothing is said but what a test says.
final class SilentService {
    private let descriptor: Int32
    private var connection: Int32 = -1
    let port: Int

    init() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) + listen(descriptor, 64) + getsockname(descriptor, $0, &length)
            }
        }
        precondition(status == 0)
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        close(descriptor)
        if connection >= 0 { close(connection) }
    }

    /// What has come over the first connection since the last call.
    func take() -> String {
        if connection < 0 { connection = accept(descriptor, nil, nil) }
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(connection, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Says something over that connection.
    func say(_ text: String) {
        _ = Glibc.send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }
}

/// Stands in the place of TLS, without protecting anything: it negotiates HTTP/2.
private final class ClearTransport: SecureTransport {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    let negotiatedProtocol: String? = "h2"
    let peerCertificate: [UInt8]? = nil
    let hasPending = false
    let failure = ""

    func handshake() -> SecureOutcome { .done(0) }
    func shutDown() -> SecureOutcome { .done(0) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> SecureOutcome {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return .done(count) }
        if count == 0 { return .ended }
        return errno == EAGAIN ? .wantsRead : .broken(errno)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> SecureOutcome {
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if count >= 0 { return .done(count) }
        return errno == EAGAIN ? .wantsWrite : .broken(errno)
    }
}

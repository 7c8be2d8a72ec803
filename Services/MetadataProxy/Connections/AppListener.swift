package import HTTPContract
import Logging
package import NIOCore
import NIOHTTP1
import NIOHTTP2
package import NIOPosix
import NIOSSL
import NIOTLS
package import Running
import Serving
import Synchronization
package import TLS

/// The port towards apps: TLS 1.2 and 1.3 without session tickets, HTTP/1.1 and HTTP/2.
///
/// It is written on SwiftNIO, because here it matters which bytes leave when. The library does the parsing.
package final class AppListener: PortOwner, TLSUser {
    /// Names the port in metrics, log messages and documents.
    package var listener: String { acceptor.listener }
    /// The port, once it is open.
    package var bound: BoundPort { acceptor.bound }
    /// Apps have no client certificates.
    package var checksCallers: Bool { false }
    /// The forwarded operations.
    package var operations: [EndpointDescription] { plan.operations.map(\.description) }
    /// The certificate that apps see.
    package var watchedTLS: (any WatchedTLS)? { tls }

    private let acceptor: Acceptor
    private let limit: ConnectionLimit
    private let idle: TimeAmount
    private let life: TimeAmount
    private let tls: ReloadedTLS<NIOSSLContext>?
    private let plan: ProxyPlan
    private let loops: PerLoop<ProxyLoop>
    private let isDraining = Atomic(false)
    private static let maxRead = 16 << 10
    /// The maximum size of all header fields of a request together.
    private static let headerBytes = 8 << 10
    /// How many bytes are read and discarded after a request has been refused, or a connection closed.
    static let maxDiscardedBytes = 256 << 10
    /// How many files are open besides connections of apps: connections to services, the admin port and its connections.
    private static let otherFiles = 512
    /// The buffer for answers that wait for the caller, and for control frames.
    private let outbound: Int
    /// How many streams an HTTP/2 connection may have open.
    private let maxStreams: Int
    /// What the bodies of an HTTP/2 connection's streams may occupy together.
    private let maxBodyBytes: Int
    /// The smallest `connectionBytes`, enough for four streams.
    package static let minConnectionBytes = 64 << 10

    /// - Parameters:
    ///   - listener: its name; its settings are `<name>.host` and `<name>.port`.
    ///   - tls: nil for plain HTTP/1.1, in benchmarks.
    ///   - connections: open at one time; more wait in the system's backlog.
    ///   - connectionBytes: what one connection can occupy beside its TLS and the streams of HTTP/2, which ``BytesInFlight``
    ///     counts: bytes that aren't parsed yet, bodies (always enough for one), and answers and control frames that aren't
    ///     read. At least ``minConnectionBytes``.
    ///   - limit: for the connections of one address prefix.
    ///   - idle: a connection without a request, or with an incomplete header, is closed after this time.
    ///   - life: a connection without an admitted request is closed after this time.
    package init(
        _ listener: String, of serviceName: String, host: String, port: Int, connections: Int, connectionBytes: Int,
        limit: ConnectionLimit, idle: TimeAmount, life: TimeAmount, tls: TLSFiles?, plan: ProxyPlan,
        on group: MultiThreadedEventLoopGroup
    ) throws(ConfigurationProblem) {
        acceptor = Acceptor(
            listener, of: serviceName, host: host, port: port, connections: connections, otherFiles: Self.otherFiles,
            on: group)
        self.limit = limit
        self.idle = idle
        self.life = life
        outbound = connectionBytes / 2
        // 28 answers' worth is left for control frames.
        maxStreams = min(100, outbound / AnswerEncoder.length - 28)
        // One body of any route is admitted, as on HTTP/1.1; BytesInFlight counts it like every other.
        maxBodyBytes = max(connectionBytes / 2, plan.operations.map(\.description.route.bodyLimit).max() ?? 0)
        if let tls {
            self.tls = try ReloadedContext.publicServer(tls, listener: listener, protocols: ["h2", "http/1.1"])
        } else {
            self.tls = nil
        }
        self.plan = plan
        loops = PerLoop(group)
    }

    /// Accepts connections until shutdown; then the open ones are answered and closed.
    package func run() async throws {
        try await acceptor.run {
            isDraining.store(true, ordering: .relaxed)
        } configure: { bootstrap in
            bootstrap
                // Every layer of a connection keeps a buffer as large as its largest read, by default 64 KiB.
                .childChannelOption(
                    .recvAllocator,
                    value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: Self.maxRead)
                )
                // Everything that is read has to be kept until it can be parsed.
                .childChannelOption(.maxMessagesPerRead, value: 1)
                // By default the system buffers megabytes for a client that doesn't read its answers.
                .serverChannelOption(.socketOption(.so_sndbuf), value: SocketOptionValue(outbound / 2))
                // HTTP/2 stops writing to a channel that isn't writable, but an answer must be written in one piece
                // (AnswerGate): there has to be room for the answers of all streams.
                .childChannelOption(
                    .writeBufferWaterMark,
                    value: ChannelOptions.Types.WriteBufferWaterMark(low: outbound / 4, high: outbound)
                )
                .childChannelInitializer { [self] channel in
                    channel.eventLoop.makeCompletedFuture { try accept(channel) }
                }
        }
    }

    // MARK: Connections

    /// The address prefix has as many connections as it may have; this one is closed.
    private struct TooManyConnections: Error {}

    private func accept(_ channel: any Channel) throws {
        let prefix = AddressPrefix(channel.remoteAddress)
        guard limit.admits(prefix) else { throw TooManyConnections() }
        channel.closeFuture.whenComplete { [limit] _ in limit.ended(prefix) }
        let timeouts = ConnectionTimeouts(channel, idle: idle, life: life)
        let clock = ArrivalClock()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(clock)
        guard let tls else { return try speakHTTP1(channel, prefix, timeouts, clock) }
        let bound = NIOLoopBound((timeouts, clock), eventLoop: channel.eventLoop)
        try pipeline.addHandler(NIOSSLServerHandler(context: tls.current))
        try pipeline.addHandler(TLSClose(outside: pipeline.context(handler: clock)))
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { [self] result, channel in
                channel.eventLoop.makeCompletedFuture {
                    let (timeouts, clock) = bound.value
                    if case .negotiated("h2") = result {
                        try speakHTTP2(channel, prefix, timeouts, clock)
                    } else {
                        try speakHTTP1(channel, prefix, timeouts, clock)
                    }
                }
            })
    }

    private func speakHTTP1(
        _ channel: any Channel, _ prefix: AddressPrefix, _ timeouts: ConnectionTimeouts, _ clock: ArrivalClock
    ) throws {
        let limits = NIOHTTPDecoderLimitConfiguration(headerBytes: Self.headerBytes)
        let valve = RequestValve()
        let connection = HTTP1Connection(
            try shared(on: channel.eventLoop), from: prefix, clock: clock, valve: valve,
            timeouts: timeouts, isDraining: isDraining.load(ordering: .relaxed))
        timeouts.expired = { [weak connection] in connection?.timedOut() }
        // One answer may wait; with the second, parsing stops.
        try channel.syncOptions?.setOption(
            .writeBufferWaterMark,
            value: ChannelOptions.Types.WriteBufferWaterMark(
                low: AnswerEncoder.length, high: 2 * AnswerEncoder.length))
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(valve)
        try pipeline.addHandler(
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)))
        try pipeline.addHandler(connection)
    }

    private func speakHTTP2(
        _ channel: any Channel, _ prefix: AddressPrefix, _ timeouts: ConnectionTimeouts, _ clock: ArrivalClock
    ) throws {
        var settings = NIOHTTP2Handler.ConnectionConfiguration()
        settings.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: maxStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: Self.headerBytes),
        ]
        // Answers to PING and the like that the client doesn't read.
        settings.maximumBufferedControlFrames = 2 * maxStreams
        let gate = AnswerGate()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(gate)
        let connection = HTTP2Connection(
            channel, from: prefix, gate: gate, clock: clock, timeouts: timeouts, maxBodyBytes: maxBodyBytes)
        let bound = NIOLoopBound((try shared(on: channel.eventLoop), connection), eventLoop: channel.eventLoop)
        _ = try pipeline.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: settings, streamConfiguration: .init()
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let (shared, connection) = bound.value
                try stream.pipeline.syncOperations.addHandler(HTTP2Stream(shared, on: connection))
            }
        }
        try pipeline.addHandler(HTTP2Errors())
        if isDraining.load(ordering: .relaxed) {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    private func shared(on loop: any EventLoop) throws -> ProxyLoop {
        try loops.value(on: loop) { try ProxyLoop(plan, on: loop) }
    }
}

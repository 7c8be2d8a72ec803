package import HTTPContract
import Logging
package import NIOCore
import NIOHTTP1
import NIOHTTP2
package import NIOPosix
import NIOSSL
import NIOTLS
package import ServiceKit
import Synchronization

/// The port towards apps: TLS 1.2 and 1.3 without session tickets, HTTP/1.1 and HTTP/2.
///
/// Written on SwiftNIO, because here it matters which bytes leave when. Parsing is the library's.
package final class AppListener: PortOwner, TLSUser {
    /// Names the port in metrics, messages and documents.
    package var listener: String { acceptor.listener }
    /// The port, as soon as it is open.
    package var bound: BoundPort { acceptor.bound }
    /// Apps have no certificates.
    package var checksCallers: Bool { false }
    /// What passes.
    package var operations: [EndpointDescription] { plan.offers.map(\.operation) }
    /// The files of the certificate towards apps.
    package var watchedTLS: (any WatchedTLS)? { tls }

    private let acceptor: Acceptor
    private let limit: ConnectionLimit
    private let idle: TimeAmount
    private let life: TimeAmount
    private let connectionBytes: Int
    private let tls: ReloadedTLS<NIOSSLContext>?
    private let plan: ProxyPlan
    private let loops: PerLoop<ProxyLoop>
    private let isDraining = Atomic(false)
    private static let longestRead = 16 << 10
    /// Connections to services, the admin port and its connections, files: generously counted.
    private static let otherFiles = 512
    /// Answers that wait for the caller, control frames with them.
    private let outbound: Int
    /// Requests that an HTTP/2 connection may have under way.
    private let mostStreams: Int
    /// The least that a connection can do with: four streams.
    package static let leastConnectionBytes = 64 << 10

    /// - Parameters:
    ///   - listener: its name; its settings are `<name>.host` and `<name>.port`.
    ///   - tls: nil for measurements of plain HTTP/1.1.
    ///   - connections: at one time; more wait in the system's backlog.
    ///   - connectionBytes: what one connection can pin beside its TLS and the streams of HTTP/2, which ``BytesInFlight``
    ///     counts: what was read and not looked at, bodies, answers and control frames that aren't taken. At least
    ///     ``leastConnectionBytes``.
    ///   - limit: of the connections of one part of the net.
    ///   - idle: a connection without a request, or with one whose header doesn't get complete, is closed after this time.
    ///   - life: a connection of whose requests none is passed on is closed after this time.
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
        self.connectionBytes = connectionBytes
        outbound = connectionBytes / 2
        // What control frames take isn't the answers'.
        mostStreams = min(100, outbound / AnswerEncoder.length - 28)
        if let tls {
            self.tls = try ReloadedContext.publicServer(tls, listener: listener, protocols: ["h2", "http/1.1"])
        } else {
            self.tls = nil
        }
        self.plan = plan
        loops = PerLoop(group)
    }

    /// Accepts connections until the end; then those that are there are answered and closed.
    package func run() async throws {
        try await acceptor.run {
            isDraining.store(true, ordering: .relaxed)
        } configure: { bootstrap in
            bootstrap
                // Every layer of a connection keeps a buffer as large as what it was once given: by default 64 KiB each.
                .childChannelOption(
                    .recvAllocator,
                    value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: Self.longestRead)
                )
                // Whatever is read has to be kept until it can be looked at.
                .childChannelOption(.maxMessagesPerRead, value: 1)
                // By itself the system keeps megabytes for who doesn't take its answers.
                .serverChannelOption(.socketOption(.so_sndbuf), value: SocketOptionValue(outbound / 2))
                // HTTP/2 writes no more to a channel that isn't writable, and an answer in two pieces would not be one
                // (AnswerGate): there must be room for those of all streams that a connection may have.
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

    /// Its part of the net has as many connections as it may have. Closing this one is all that is done about it.
    private struct TooManyConnections: Error {}

    private func accept(_ channel: any Channel) throws {
        let prefix = AddressPrefix(channel.remoteAddress)
        guard limit.admits(prefix) else { throw TooManyConnections() }
        channel.closeFuture.whenComplete { [limit] _ in limit.ended(prefix) }
        let patience = CallerPatience(channel, idle: idle, life: life)
        let clock = ArrivalClock()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(clock)
        guard let tls else { return try speakHTTP1(channel, prefix, patience, clock) }
        let bound = NIOLoopBound((patience, clock), eventLoop: channel.eventLoop)
        try pipeline.addHandler(NIOSSLServerHandler(context: tls.current))
        try pipeline.addHandler(Farewell(outside: pipeline.context(handler: clock)))
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { [self] result, channel in
                channel.eventLoop.makeCompletedFuture {
                    let (patience, clock) = bound.value
                    if case .negotiated("h2") = result {
                        try speakHTTP2(channel, prefix, patience, clock)
                    } else {
                        try speakHTTP1(channel, prefix, patience, clock)
                    }
                }
            })
    }

    private func speakHTTP1(
        _ channel: any Channel, _ prefix: AddressPrefix, _ patience: CallerPatience, _ clock: ArrivalClock
    ) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 8 << 10
        limits.maxHeaderListSize = 8 << 10
        limits.maxHeaderFieldCount = 100
        let valve = RequestValve()
        let caller = HTTP1Caller(
            try shared(on: channel.eventLoop), from: prefix, clock: clock, valve: valve,
            patience: patience, isDraining: isDraining.load(ordering: .relaxed))
        patience.ended = { [weak caller] in caller?.patienceEnded() }
        // One answer waits without a word, with the second nothing more is looked at.
        try channel.syncOptions?.setOption(
            .writeBufferWaterMark,
            value: ChannelOptions.Types.WriteBufferWaterMark(
                low: AnswerEncoder.length, high: 2 * AnswerEncoder.length))
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(valve)
        try pipeline.addHandler(
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)))
        try pipeline.addHandler(caller)
    }

    private func speakHTTP2(
        _ channel: any Channel, _ prefix: AddressPrefix, _ patience: CallerPatience, _ clock: ArrivalClock
    ) throws {
        var settings = NIOHTTP2Handler.ConnectionConfiguration()
        settings.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: mostStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 8 << 10),
        ]
        // Answers to PING and the like, of who takes none.
        settings.maximumBufferedControlFrames = 2 * mostStreams
        let gate = AnswerGate()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(gate)
        let connection = HTTP2Connection(
            channel, from: prefix, gate: gate, clock: clock, patience: patience, mostBodyBytes: connectionBytes / 2)
        let bound = NIOLoopBound((try shared(on: channel.eventLoop), connection), eventLoop: channel.eventLoop)
        _ = try pipeline.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: settings, streamConfiguration: .init()
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                let (shared, connection) = bound.value
                try stream.pipeline.syncOperations.addHandler(HTTP2Caller(shared, on: connection))
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

import DequeModule
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The connections of one event loop to one service, and the requests that wait for one.
final class UpstreamPool {
    /// The limit for all event loops together. More connections would not make a service faster, but allow it to be flooded.
    private static let connectionsInAll = 64
    /// The limit for the waiting requests of all event loops together.
    ///
    /// More are refused at once, so that those that wait are answered in time.
    private static let queueInAll = 2048

    private let upstream: Upstream
    private let loop: any EventLoop
    private let maxConnections: Int
    private let maxQueue: Int
    /// The last one used is used first: under little load few connections are in use, and the others time out.
    private var idle: [UpstreamConnection] = []
    private var open = 0
    private var connecting = 0
    private var queue: Deque<ProxyExchange> = []
    private var isClosed = false

    /// - Parameter share: how many event loops there are.
    init(of upstream: Upstream, on loop: any EventLoop, share: Int) {
        self.upstream = upstream
        self.loop = loop
        maxConnections = max(1, Self.connectionsInAll / share)
        maxQueue = max(1, Self.queueInAll / share)
    }

    /// Sends a request as soon as a connection is free.
    func send(_ exchange: ProxyExchange) {
        while let connection = idle.popLast() {
            if connection.isUsable(with: upstream.context) {
                connection.send(exchange)
                return
            }
            connection.close()
        }
        guard queue.count < maxQueue, !isClosed else {
            exchange.answer.fail()
            return
        }
        queue.append(exchange)
        if connecting < queue.count, open < maxConnections { connect() }
    }

    /// A connection can take another request.
    func free(_ connection: UpstreamConnection) {
        guard !isClosed, connection.isUsable(with: upstream.context) else {
            connection.close()
            return
        }
        if let exchange = next() {
            connection.send(exchange)
        } else {
            idle.append(connection)
        }
    }

    /// A connection has closed.
    func lost(_ connection: UpstreamConnection) {
        open -= 1
        idle.removeAll { $0 === connection }
        if !isClosed, !queue.isEmpty, open < maxConnections { connect() }
    }

    func close() {
        isClosed = true
        for connection in idle { connection.close() }
        idle = []
        while let exchange = queue.popFirst() { exchange.answer.fail() }
    }

    /// The first waiting request that can still be answered in time.
    private func next() -> ProxyExchange? {
        while let exchange = queue.popFirst() {
            if exchange.answer.isWorthwhile { return exchange }
            exchange.answer.fail()
        }
        return nil
    }

    private func connect() {
        open += 1
        connecting += 1
        let context = upstream.context
        let host = upstream.host
        let bound = NIOLoopBound(self, eventLoop: loop)
        ClientBootstrap(group: loop)
            // A lost SYN is retransmitted after one second.
            .connectTimeout(.seconds(2))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: serverName(host)))
                    }
                    let requests = InnerRequestBytes()
                    try pipeline.addHandler(requests)
                    try pipeline.addHandler(ByteToMessageHandler(HTTPResponseDecoder()))
                    try pipeline.addHandler(
                        UpstreamConnection(channel, of: bound.value, context: context, requests: requests))
                }
            }
            .connect(host: upstream.host, port: upstream.port)
            .flatMapThrowing { channel in
                try NIOLoopBound(
                    channel.pipeline.syncOperations.handler(type: UpstreamConnection.self), eventLoop: channel.eventLoop
                )
            }
            .hop(to: loop)
            .whenComplete { result in bound.value.connected(result) }
    }

    private func connected(_ result: Result<NIOLoopBound<UpstreamConnection>, any Error>) {
        connecting -= 1
        switch result {
        case .success(let connection):
            free(connection.value)
        case .failure:
            open -= 1
            // No other connection will serve these.
            if open == 0 { while let exchange = queue.popFirst() { exchange.answer.fail() } }
        }
    }
}

/// Server Name Indication takes host names only; for an address, the certificate has to name that address.
private func serverName(_ host: String) -> String? {
    let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    return isAddress ? nil : host
}

import DequeModule
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Connections of one event loop to one service, and the requests that wait for one.
final class UpstreamPool {
    /// Of all event loops together. More would not make a service faster, but let it be flooded.
    private static let connectionsInAll = 64
    /// Waiting requests of all event loops together; what comes then is refused at once, so that those that wait are still
    /// answered in time.
    private static let queueInAll = 2048

    private let upstream: Upstream
    private let loop: any EventLoop
    private let mostConnections: Int
    private let longestQueue: Int
    /// Those used last come first: in quiet times few connections are in use, and the others grow old and close.
    private var idle: [UpstreamConnection] = []
    private var open = 0
    private var connecting = 0
    private var queue: Deque<Exchange> = []
    private var isClosed = false

    /// - Parameter share: how many event loops there are.
    init(of upstream: Upstream, on loop: any EventLoop, share: Int) {
        self.upstream = upstream
        self.loop = loop
        mostConnections = max(1, Self.connectionsInAll / share)
        longestQueue = max(1, Self.queueInAll / share)
    }

    /// Passes a request on as soon as a connection is free.
    func send(_ exchange: Exchange) {
        while let connection = idle.popLast() {
            if connection.isUsable(with: upstream.context) {
                connection.send(exchange)
                return
            }
            connection.close()
        }
        guard queue.count < longestQueue, !isClosed else {
            exchange.fail()
            return
        }
        queue.append(exchange)
        if connecting < queue.count, open < mostConnections { connect() }
    }

    /// A connection has done its work and can do more.
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

    /// A connection is gone.
    func lost(_ connection: UpstreamConnection) {
        open -= 1
        idle.removeAll { $0 === connection }
        if !isClosed, !queue.isEmpty, open < mostConnections { connect() }
    }

    func close() {
        isClosed = true
        for connection in idle { connection.close() }
        idle = []
        while let exchange = queue.popFirst() { exchange.fail() }
    }

    /// The first request that waits for an answer and hasn't waited too long.
    private func next() -> Exchange? {
        while let exchange = queue.popFirst() {
            if exchange.canStillBeSent { return exchange }
            exchange.fail()
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
            // A lost SYN is sent again after a second.
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
            // Nobody else is going to take care of these.
            if open == 0 { while let exchange = queue.popFirst() { exchange.fail() } }
        }
    }
}

/// TLS asks for a name, and takes none for an address; the certificate must then be the address's.
private func serverName(_ host: String) -> String? {
    let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    return isAddress ? nil : host
}

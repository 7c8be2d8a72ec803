import NIOCore
import NIOHTTP1
import NIOSSL
import Serving

/// One connection to a service: one request at a time, from any caller.
final class UpstreamConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// A reply must have arrived after this time, even if its caller has long been told that the service is unavailable; or
    /// after ``PendingAnswer/patience`` if `answers.deadline` makes that longer.
    private static let replyTimeout: TimeAmount = .seconds(5)
    /// Shorter than a service keeps an idle connection (``Limits/inner``).
    private static let idleTimeout: TimeAmount = .seconds(30)
    /// The largest body of a reply, in bytes; none of the contract's comes near it.
    private static let replyLimit = 64 << 10

    private let channel: any Channel
    private let pool: UpstreamPool
    private let context: NIOSSLContext?
    private let requests: InnerRequestBytes
    private var own: ChannelHandlerContext?
    private lazy var deadline = LazyDeadline(on: channel.eventLoop) { [weak self] in self?.close() }

    private var exchange: ProxyExchange?
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()
    private var isOpen = true
    private var isUsed = false

    /// - Parameter context: its TLS context, to notice when it is outdated.
    init(_ channel: any Channel, of pool: UpstreamPool, context: NIOSSLContext?, requests: InnerRequestBytes) {
        self.requests = requests
        self.channel = channel
        self.pool = pool
        self.context = context
    }

    func handlerAdded(context: ChannelHandlerContext) { own = context }
    func handlerRemoved(context: ChannelHandlerContext) { own = nil }

    /// Whether a request may be sent: the connection is open, and its TLS files are the newest.
    func isUsable(with newest: NIOSSLContext?) -> Bool { isOpen && context === newest }

    func send(_ exchange: ProxyExchange) {
        self.exchange = exchange
        deadline.set(channel.eventLoop.now + max(Self.replyTimeout, exchange.answer.patience))
        own?.write(wrapOutboundOut(.head(exchange.request.head)), promise: nil)
        requests.write(exchange.request.pieces)
    }

    func close() {
        isOpen = false
        channel.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard exchange != nil else { return close() }
            self.head = head
            body = ByteBuffer()
        case .body(let bytes):
            guard body.readableBytes + bytes.readableBytes <= Self.replyLimit else { return close() }
            // A copy: a slice would keep the whole read buffer alive until the caller has read its answer.
            body.writeImmutableBuffer(bytes)
        case .end:
            guard let head, let exchange else { return close() }
            self.head = nil
            self.exchange = nil
            isUsed = true
            if head.isKeepAlive {
                deadline.set(channel.eventLoop.now + Self.idleTimeout)
                pool.free(self)
            } else {
                close()
            }
            exchange.answer.receive(UpstreamReply(head: head, body: body))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let wasClosedByService = isOpen
        isOpen = false
        deadline.set(nil)
        pool.lost(self)
        if var exchange {
            self.exchange = nil
            // A service closes idle connections, so one that was closed without a reply has hardly accepted the request. If
            // it has, repeating is harmless: every operation is idempotent for a caller that repeats itself.
            if wasClosedByService, isUsed, head == nil, !exchange.isRepeated {
                exchange.isRepeated = true
                pool.send(exchange)
            } else {
                exchange.answer.fail()
            }
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close()
    }
}

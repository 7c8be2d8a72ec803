import NIOCore
import NIOHTTP1
import NIOSSL
import ServiceKit

/// One connection to a service: one request at a time, then the next one of whoever comes.
final class UpstreamConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// An answer must be there after this time, also if its caller has long been told that the service is unavailable; or
    /// after as long as its caller waits, if `answers.deadline` makes that longer.
    private static let longestAnswer: TimeAmount = .seconds(5)
    /// Shorter than a service keeps an idle connection (``ServiceKit``'s inner limits).
    private static let longestRest: TimeAmount = .seconds(30)
    /// The largest body that is read, in bytes; none of the contract's comes near it.
    private static let answerLimit = 64 << 10

    private let channel: any Channel
    private let pool: UpstreamPool
    private let context: NIOSSLContext?
    private let requests: InnerRequestBytes
    private var own: ChannelHandlerContext?
    private lazy var deadline = LazyDeadline(on: channel.eventLoop) { [weak self] in self?.close() }

    private var exchange: Exchange?
    private var head: HTTPResponseHead?
    private var body = ByteBuffer()
    private var isOpen = true
    private var isUsed = false

    /// - Parameter context: what it is protected with, to know when that is outdated.
    init(_ channel: any Channel, of pool: UpstreamPool, context: NIOSSLContext?, requests: InnerRequestBytes) {
        self.requests = requests
        self.channel = channel
        self.pool = pool
        self.context = context
    }

    func handlerAdded(context: ChannelHandlerContext) { own = context }
    func handlerRemoved(context: ChannelHandlerContext) { own = nil }

    /// Whether a request may be sent: the connection stands, and new TLS files haven't outdated it.
    func isUsable(with newest: NIOSSLContext?) -> Bool { isOpen && context === newest }

    func send(_ exchange: Exchange) {
        self.exchange = exchange
        deadline.set(channel.eventLoop.now + max(Self.longestAnswer, exchange.patience))
        let (head, bytes) = exchange.innerRequest()
        own?.write(wrapOutboundOut(.head(head)), promise: nil)
        requests.write(bytes)
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
            guard body.readableBytes + bytes.readableBytes <= Self.answerLimit else { return close() }
            // A copy: what was read is a piece of a larger buffer, which would live until the caller takes its answer.
            body.writeImmutableBuffer(bytes)
        case .end:
            guard let head, let exchange else { return close() }
            self.head = nil
            self.exchange = nil
            isUsed = true
            if head.isKeepAlive {
                deadline.set(channel.eventLoop.now + Self.longestRest)
                pool.free(self)
            } else {
                close()
            }
            exchange.succeed(head, body)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let wasClosedByService = isOpen
        isOpen = false
        deadline.set(nil)
        pool.lost(self)
        if let exchange {
            self.exchange = nil
            // A service closes connections that rest, so one that was closed without a word has hardly taken the request.
            // If it has, a repeat does no harm: every operation allows for callers that repeat themselves.
            if wasClosedByService, isUsed, head == nil { exchange.sendAgain() } else { exchange.fail() }
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close()
    }
}

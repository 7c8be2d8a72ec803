import NIOCore
import NIOTLS
import Serving

/// Closes a TLS connection: sends `close_notify`, gives the client a second to close as well, then closes the socket.
///
/// The library would do the same, but it keeps the connection's whole state, 60 KiB, for that second, even if the client
/// disconnected long ago. A client that is disconnected a thousand times a second would make the proxy hold as many connections
/// outside every limit. So the library only sends `close_notify`, and the waiting happens here.
final class TLSClose: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private static let timeout: TimeAmount = .seconds(1)
    private let outside: ChannelHandlerContext
    private var isSecure = false
    private var isClosing = false
    /// Bytes that are still read and discarded.
    private var left = AppListener.maxDiscardedBytes
    private lazy var deadline = LazyDeadline(on: outside.eventLoop) { [outside] in outside.close(promise: nil) }

    /// - Parameter outside: of a handler between TLS and the socket.
    init(outside: ChannelHandlerContext) {
        self.outside = outside
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { isSecure = true }
        context.fireUserInboundEventTriggered(event)
    }

    /// Closes at once before the handshake is complete: the library keeps no state then.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, isSecure, context.channel.isActive else {
            context.close(mode: mode, promise: promise)
            return
        }
        if let promise { context.channel.closeFuture.cascade(to: promise) }
        guard !isClosing else { return }
        isClosing = true
        deadline.set(context.eventLoop.now + Self.timeout)
        context.close(mode: .output, promise: nil)
        context.read()
    }

    // MARK: Afterwards

    /// Discards what still arrives, up to a limit.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isClosing else {
            context.fireChannelRead(data)
            return
        }
        left -= unwrapInboundIn(data).readableBytes
        if left < 0 { outside.close(promise: nil) }
    }

    /// Keeps reading to see the client close: closing a socket with unread bytes resets it, and the client may lose its answer.
    ///
    /// HTTP/2 still gets this event, because it holds the streams with unread data until then.
    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isClosing { context.read() }
    }
}

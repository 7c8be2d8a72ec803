import NIOCore
import NIOTLS
import ServiceKit

/// Ends a TLS connection: says so, gives the caller a second to end it, too, and closes.
///
/// The library would do the same, but keeps all that belongs to a connection, 60 KiB, for all of that second, though the
/// caller is long gone. Whoever is sent away a thousand times a second would make the proxy hold as many connections that
/// no limit knows of. So the library only says goodbye, and the waiting is done here.
final class Farewell: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private static let patience: TimeAmount = .seconds(1)
    private let outside: ChannelHandlerContext
    private var isSecure = false
    private var isClosing = false
    /// Bytes that are still read.
    private var left = 256 << 10
    private lazy var deadline = LazyDeadline(on: outside.eventLoop) { [outside] in outside.close(promise: nil) }

    /// - Parameter outside: of a handler between TLS and the socket.
    init(outside: ChannelHandlerContext) {
        self.outside = outside
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { isSecure = true }
        context.fireUserInboundEventTriggered(event)
    }

    /// Before the handshake is complete the library closes at once, and keeps nothing.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, isSecure, context.channel.isActive else {
            context.close(mode: mode, promise: promise)
            return
        }
        if let promise { context.channel.closeFuture.cascade(to: promise) }
        guard !isClosing else { return }
        isClosing = true
        deadline.set(context.eventLoop.now + Self.patience)
        context.close(mode: .output, promise: nil)
        context.read()
    }

    // MARK: Afterwards

    /// Whatever still comes is thrown away; who goes on and on isn't listened to.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isClosing else {
            context.fireChannelRead(data)
            return
        }
        left -= unwrapInboundIn(data).readableBytes
        if left < 0 { outside.close(promise: nil) }
    }

    /// Reads on, so that the caller's end is seen: a connection that is closed with bytes unread takes back what was sent.
    ///
    /// HTTP/2 has to know nevertheless: until then it holds on to the streams that something was read for.
    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isClosing { context.read() }
    }
}

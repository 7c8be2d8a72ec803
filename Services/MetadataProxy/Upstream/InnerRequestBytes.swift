import NIOCore
import NIOHTTP1

/// Writes a request that is already encoded, bypassing the library's decoder of replies.
///
/// That decoder has to see a request's head, to know which method a reply belongs to. The head ends here: the bytes that
/// are sent come from ``ProxiedRoute``.
final class InnerRequestBytes: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.succeed()
    }

    /// Writes a whole request, whose head the decoder has seen.
    func write(_ pieces: [ByteBuffer]) {
        for piece in pieces { context?.write(wrapOutboundOut(piece), promise: nil) }
        context?.flush()
    }
}

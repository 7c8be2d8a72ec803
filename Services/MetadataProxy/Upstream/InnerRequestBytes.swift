import NIOCore
import NIOHTTP1

/// Writes a request that is already bytes, past the library's decoder of answers.
///
/// That decoder must see a request's head, to know which method an answer belongs to. It comes by here and ends here: what
/// crosses the wire is written as a whole by ``ProxiedRoute``.
final class InnerRequestBytes: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.succeed()
    }

    /// Writes a whole request, whose head has come by.
    func write(_ bytes: ByteBuffer) {
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }
}

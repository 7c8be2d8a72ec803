import NIOCore
import NIOHTTP1

/// Lets a request pass that is already written as bytes.
///
/// The library's decoder of answers must see a request's head, to know which method an answer belongs to; its encoder would
/// then write that head. Ours is written as a whole by ``ProxiedRoute``, so that what crosses the wire stands in one place.
final class InnerRequestBytes: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = IOData

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .body(let bytes) = unwrapOutboundIn(data) {
            context.write(wrapOutboundOut(bytes), promise: promise)
        } else {
            promise?.succeed()
        }
    }
}

import NIOCore

/// Notes when bytes came in, before anything is done with them.
///
/// An answer's moment counts from there. Were it counted from when the request has been decrypted, parsed and admitted,
/// the work for that, which isn't the same on every route, would come on top of it: some microseconds, which show among
/// ten thousand answers.
final class ArrivalClock: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// When the last bytes came in.
    private(set) var moment = NIODeadline.uptimeNanoseconds(0)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        moment = context.eventLoop.now
        context.fireChannelRead(data)
    }
}

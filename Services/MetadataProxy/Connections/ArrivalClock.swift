import NIOCore

/// Records when bytes arrived, before anything else is done with them.
///
/// The send time of an answer counts from there. If it counted from when the request has been decrypted, parsed and admitted,
/// it would include that work, which differs between routes by some microseconds. Among ten thousand answers, such a difference
/// shows.
final class ArrivalClock: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// When the last bytes arrived.
    private(set) var moment = NIODeadline.uptimeNanoseconds(0)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        moment = context.eventLoop.now
        context.fireChannelRead(data)
    }
}

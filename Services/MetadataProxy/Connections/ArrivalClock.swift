import NIOCore

/// Records when bytes arrived, before anything else is done with them.
///
/// The moment of an answer counts from there. If it counted from when the request has been decrypted, parsed and admitted,
/// that work, which differs between routes, would be added: some microseconds, which show among ten thousand answers.
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

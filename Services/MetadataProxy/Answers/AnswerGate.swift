import NIOCore
import NIOHTTP2

/// Holds the bytes of HTTP/2 answers back until their moment; everything else of a connection passes at once.
///
/// It stands between HTTP/2 and TLS. An answer is encoded when it becomes known, so that at its moment nothing is left to
/// do whose duration could depend on what it says, and its frames leave in one write, which makes one TLS record.
final class AnswerGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Called when the connection is told to come to its end.
    var drained: (() -> Void)?
    private var context: ChannelHandlerContext?
    private var collected: ByteBuffer?
    private var heldAnswers = 0
    private var isCloseDue = false
    private var isReadDue = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// What `write` writes into the connection, which it must do at once. ``release(_:)`` must follow.
    func collect(_ write: () -> Void) -> ByteBuffer {
        var room = ByteBuffer()
        room.reserveCapacity(AnswerEncoder.length)
        collected = room
        write()
        defer { collected = nil }
        heldAnswers += 1
        return collected ?? room
    }

    /// Lets an answer go. One that isn't complete, because the client takes no more bytes, ends the connection: whatever
    /// remained would leave at another moment.
    /// - Parameter taken: is called when the system has taken the answer for the client.
    func release(_ bytes: ByteBuffer, taken: (() -> Void)? = nil) {
        heldAnswers -= 1
        guard let context else { return }
        if bytes.readableBytes >= AnswerEncoder.length {
            if let taken {
                context.writeAndFlush(wrapOutboundOut(bytes)).assumeIsolated().whenSuccess(taken)
            } else {
                context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
            }
        } else {
            isCloseDue = true
        }
        if isCloseDue, heldAnswers == 0 { context.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard collected != nil else {
            context.write(data, promise: promise)
            return
        }
        collected?.writeImmutableBuffer(unwrapOutboundIn(data))
        promise?.succeed()
    }

    func flush(context: ChannelHandlerContext) {
        if collected == nil { context.flush() }
    }

    /// For HTTP/2 a held answer is already sent, so that it may want to close.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if heldAnswers > 0, mode == .all, context.channel.isActive {
            isCloseDue = true
            promise?.succeed()
        } else {
            context.close(mode: mode, promise: promise)
        }
    }

    /// Who takes no answers, or is about to be cut off, is not read from.
    func read(context: ChannelHandlerContext) {
        if isCloseDue { return }
        if context.channel.isWritable { context.read() } else { isReadDue = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isReadDue, context.channel.isWritable {
            isReadDue = false
            context.read()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { drained?() } else { context.fireUserInboundEventTriggered(event) }
    }

    /// Tells the client to begin no more streams: GOAWAY with the highest number that a stream may have (RFC 9113, 6.8).
    ///
    /// The library doesn't know of it. If it sent GOAWAY itself, it would refuse the streams that are on their way, and
    /// take their DATA for a fault of the connection, with all that is under way there.
    func announceEnd(_ reason: HTTP2ErrorCode = .noError) {
        let code = UInt8(truncatingIfNeeded: reason.networkCode)
        let frame: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, code]
        context?.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: nil)
    }
}

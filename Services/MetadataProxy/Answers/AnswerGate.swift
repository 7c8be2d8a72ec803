import NIOCore
import NIOHTTP2

/// Holds back the bytes of HTTP/2 answers until their send time; everything else on the connection passes at once.
///
/// It sits between HTTP/2 and TLS. An answer is encoded when it becomes known, so that no work whose duration depends on its
/// content is left for the send time. Its frames leave in one write, which makes one TLS record.
final class AnswerGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Called when the connection is told to shut down.
    var drained: (() -> Void)?
    private var context: ChannelHandlerContext?
    private var collected: ByteBuffer?
    private var heldAnswers = 0
    private var isCloseDue = false
    private var isReadDue = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Collects what `write` writes into the connection, which it must do synchronously. ``release(_:written:)`` must follow.
    func collect(_ write: () -> Void) -> ByteBuffer {
        var room = ByteBuffer()
        room.reserveCapacity(AnswerEncoder.length)
        collected = room
        write()
        defer { collected = nil }
        heldAnswers += 1
        return collected ?? room
    }

    /// Sends an answer.
    ///
    /// If the client's flow-control window doesn't take the whole answer, the connection ends: the rest would leave at another
    /// time.
    /// - Parameter written: is called when the answer is written to the socket.
    func release(_ bytes: ByteBuffer, written: (() -> Void)? = nil) {
        heldAnswers -= 1
        guard let context else { return }
        if bytes.readableBytes >= AnswerEncoder.length {
            if let written {
                context.writeAndFlush(wrapOutboundOut(bytes)).assumeIsolated().whenSuccess(written)
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

    /// Closes the connection after held answers are sent.
    ///
    /// The library considers a held answer sent, so it may close the connection before the answer leaves.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if heldAnswers > 0, mode == .all, context.channel.isActive {
            isCloseDue = true
            promise?.succeed()
        } else {
            context.close(mode: mode, promise: promise)
        }
    }

    /// Doesn't read from a client that reads no answers, or whose connection is about to close.
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

    /// Tells the client to open no more streams: GOAWAY with the highest possible stream identifier (RFC 9113, section 6.8).
    ///
    /// It bypasses the library. If that sent GOAWAY itself, it would refuse the streams that are on their way, and treat
    /// their DATA as a connection error, which ends everything in progress.
    func sendGoAway(_ reason: HTTP2ErrorCode = .noError) {
        let code = UInt8(truncatingIfNeeded: reason.networkCode)
        let frame: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, code]
        context?.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: frame)), promise: nil)
    }
}

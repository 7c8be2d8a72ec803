import NIOCore

/// Hands what a connection of HTTP/1.1 sends to the parser in pieces, and only as long as its requests can be taken.
///
/// A parser hands on every request of what it is given, and can't be stopped in the middle. One read may bring a thousand
/// requests that were sent ahead, and parsed each takes many times its length. So what was read stays here as it came, and
/// as long as something stays, nothing more is read.
final class RequestValve: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    /// The most that the parser is given at once, in bytes, unless all of it belongs to one body.
    static let piece = 2 << 10

    /// How many bytes may be handed on now; 0 if none.
    var room: (() -> Int)?
    private var context: ChannelHandlerContext?
    private var held = ByteBuffer()
    private var isHandingOn = false
    private var isReadDue = false

    /// Whether nothing is held back.
    var isEmpty: Bool { held.readableBytes == 0 }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        room = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if isEmpty {
            // Mostly all of it is one request.
            held = bytes
        } else {
            held.writeBuffer(&bytes)
        }
        handOn()
    }

    /// There may be room again.
    func resume() {
        handOn()
        if isReadDue, let context { read(context: context) }
    }

    /// What happens meanwhile may call this again: then the loop that runs goes on.
    private func handOn() {
        guard !isHandingOn else { return }
        isHandingOn = true
        while !isEmpty, let context, let room = room?(), room > 0 {
            let piece = held.readSlice(length: min(room, held.readableBytes)) ?? ByteBuffer()
            if isEmpty { held = ByteBuffer() }
            context.fireChannelRead(wrapInboundOut(piece))
        }
        isHandingOn = false
    }

    /// Nothing is read as long as something is held, or the caller takes no answers.
    ///
    /// While a request is being answered, something normally is read: to stop and start costs two system calls a request.
    func read(context: ChannelHandlerContext) {
        isReadDue = !isEmpty || !context.channel.isWritable
        if !isReadDue { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        held = ByteBuffer()
        context.fireChannelInactive()
    }
}

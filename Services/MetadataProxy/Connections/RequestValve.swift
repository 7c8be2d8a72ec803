import NIOCore

/// Passes what arrives on an HTTP/1.1 connection to the parser in pieces, and only while its requests can be processed.
///
/// A parser emits every request in what it is given and can't be stopped in between. One read may bring a thousand pipelined
/// requests, and a parsed request takes many times its length. So the bytes stay here as they arrived, and while some are
/// held, nothing more is read.
final class RequestValve: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    /// The most bytes that the parser is given at once, unless all of them belong to one body.
    static let piece = 2 << 10

    /// How many bytes may be passed on now.
    var room: (() -> Int)?
    private var context: ChannelHandlerContext?
    private var held = ByteBuffer()
    private var isPassingOn = false
    private var isReadDue = false

    /// Whether nothing is held.
    var isEmpty: Bool { held.readableBytes == 0 }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        room = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if isEmpty {
            // Usually all of it is one request.
            held = bytes
        } else {
            held.writeBuffer(&bytes)
        }
        passOn()
    }

    /// There may be room again.
    func resume() {
        passOn()
        if isReadDue, let context { read(context: context) }
    }

    /// The parser's output may call this again; then the running loop continues.
    private func passOn() {
        guard !isPassingOn else { return }
        isPassingOn = true
        while !isEmpty, let context, let room = room?(), room > 0 {
            let piece = held.readSlice(length: min(room, held.readableBytes)) ?? ByteBuffer()
            if isEmpty { held = ByteBuffer() }
            context.fireChannelRead(wrapInboundOut(piece))
        }
        isPassingOn = false
    }

    /// Nothing is read while something is held, or while the client reads no answers.
    ///
    /// While a request is being answered, reading normally continues: pausing would cost two system calls a request.
    func read(context: ChannelHandlerContext) {
        isReadDue = !isEmpty || !context.channel.isWritable
        if !isReadDue { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        held = ByteBuffer()
        context.fireChannelInactive()
    }
}

import NIOCore

/// Stops accepting connections at the limit.
final class AcceptLimit: ChannelDuplexHandler {
    /// A connection.
    typealias InboundIn = any Channel
    /// A connection.
    typealias InboundOut = any Channel
    /// No output.
    typealias OutboundIn = Never

    private let limit: Int
    private var open = 0
    private var isReadDue = false

    /// - Parameter limit: the maximum number of concurrent connections.
    init(_ limit: Int) {
        self.limit = limit
    }

    /// Counts a connection.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open += 1
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
            let (limit, context) = bound.value
            limit.closed(context)
        }
        context.fireChannelRead(data)
    }

    /// Accepts another connection, or waits.
    func read(context: ChannelHandlerContext) {
        if open < limit { context.read() } else { isReadDue = true }
    }

    private func closed(_ context: ChannelHandlerContext) {
        open -= 1
        guard isReadDue, open < limit else { return }
        isReadDue = false
        context.read()
    }
}

import NIOCore
import NIOPosix
import Synchronization

/// A server that closes its connections when it is asked once too often, without a word.
final class DepartingServer: Sendable {
    private let channel: any Channel
    var port: Int { channel.localAddress?.port ?? 0 }

    /// - Parameter answers: how many requests each connection answers, one after the other; then none.
    init(answering answers: [Int]) async throws {
        let left = Mutex(answers[...])
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let count = left.withLock { $0.popFirst() ?? 0 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Connection(answers: count))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func close() async throws { try await channel.close() }

    /// Requests are small: each comes in one piece, or in two with the body behind.
    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private var answers: Int

        init(answers: Int) { self.answers = answers }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard String(buffer: unwrapInboundIn(data)).contains("}") else { return }
            guard answers > 0 else { return context.close(promise: nil) }
            answers -= 1
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
            let answer = head + #"{"text":"here"}"#
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        }
    }
}

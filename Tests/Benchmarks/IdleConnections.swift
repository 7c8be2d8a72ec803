import ArgumentParser
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Phones that have said something once and say nothing more.
struct IdleConnections: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle-connections",
        abstract: "Open TLS connections, print how many there are, and keep them until standard input ends.")

    @Option(help: "The server's port on 127.0.0.1.") var port: Int
    @Option(help: "How many connections.") var count = 10_000

    func run() async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        // One after the other on each of a few lanes: a server's backlog is short.
        let lanes = 20
        let port = port
        let count = count
        let open = try await withThrowingTaskGroup(of: [any Channel].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var channels: [any Channel] = []
                    for _ in stride(from: lane, to: count, by: lanes) {
                        channels.append(try await Self.connect(to: port, context))
                    }
                    return channels
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        print(open.count)
        fflush(nil)
        while readLine() != nil {}
        for channel in open { try? await channel.close() }
    }

    /// A connection whose handshake is over: the server has answered a request.
    private static func connect(to port: Int, _ context: NIOSSLContext) async throws -> any Channel {
        let answered = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    try channel.pipeline.syncOperations.addHandler(FirstBytes(answered))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.writeAndFlush(ByteBuffer(string: "GET /measure HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        try await answered.futureResult.get()
        return channel
    }
}

/// Tells that something has come.
private final class FirstBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<Void>

    init(_ promise: EventLoopPromise<Void>) {
        self.promise = promise
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { promise.succeed() }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(ChannelError.eof)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }
}

package import NIOCore
import NIOPosix

/// A TCP connection over which a test writes what an HTTP client wouldn't.
package struct RawConnection {
    package let inbound: NIOAsyncChannelInboundStream<ByteBuffer>
    package let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    package func write(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    /// Everything the server sends until it closes the connection.
    package func readToEnd() async -> String {
        var text = ""
        do {
            for try await chunk in inbound { text += String(buffer: chunk) }
        } catch {
            // A reset also ends the stream.
        }
        return text
    }

    package static func open<Result>(
        port: Int, _ body: (RawConnection) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(RawConnection(inbound: inbound, outbound: outbound))
        }
    }
}

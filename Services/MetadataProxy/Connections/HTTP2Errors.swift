import NIOCore
import NIOHTTP2

/// Closes a connection after a connection error (RFC 9113, section 5.4.1). The library sends GOAWAY but keeps reading.
final class HTTP2Errors: ChannelInboundHandler {
    typealias InboundIn = Never

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // It ends the stream, not the connection.
        if error is NIOHTTP2Errors.StreamError { return }
        context.close(promise: nil)
    }
}

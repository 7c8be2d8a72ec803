import NIOCore
import NIOHTTP2

/// Closes a connection whose peer has broken the rules for connections (RFC 9113, 5.4.1). The library has sent GOAWAY, and
/// would go on to read.
final class HTTP2Errors: ChannelInboundHandler {
    typealias InboundIn = Never

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // That is between the stream and its peer.
        if error is NIOHTTP2Errors.StreamError { return }
        context.close(promise: nil)
    }
}

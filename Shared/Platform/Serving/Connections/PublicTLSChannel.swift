import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import TLS

/// Hummingbird's channel for HTTP/1.1 and HTTP/2 by ALPN, with a limit for the handshake, which it lacks.
struct PublicTLSChannel: ServerChildChannel {
    typealias Value = HTTP2UpgradeChannel.Value

    let base: ReloadedTLS<HTTP2UpgradeChannel>
    let limits: Limits

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        base.current.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            // Right behind the TLS handler: the next one keeps the event of the handshake's end to itself.
            try pipeline.addHandler(
                HandshakeTimeout(limit: limits.handshake),
                position: .after(pipeline.handler(type: NIOSSLServerHandler.self)))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        // Only its setup knows certificates: it doesn't matter which one handles the connection.
        await base.current.handle(value: value, logger: logger)
    }
}

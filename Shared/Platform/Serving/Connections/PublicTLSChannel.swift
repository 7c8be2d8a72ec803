import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import TLS

/// Hummingbird's channel for HTTP/1.1 and HTTP/2 by ALPN, with a handshake timeout, which Hummingbird lacks.
struct PublicTLSChannel: ServerChildChannel {
    typealias Value = HTTP2UpgradeChannel.Value

    let base: ReloadedTLS<HTTP2UpgradeChannel>
    let limits: Limits

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        base.current.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            // Directly behind the TLS handler, because the next handler doesn't pass on the event that ends the handshake.
            try pipeline.addHandler(
                HandshakeTimeout(limit: limits.handshake),
                position: .after(pipeline.handler(type: NIOSSLServerHandler.self)))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        // Only the setup depends on certificates, so any channel can handle the connection.
        await base.current.handle(value: value, logger: logger)
    }
}

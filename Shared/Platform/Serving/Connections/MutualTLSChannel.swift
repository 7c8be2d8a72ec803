import HummingbirdCore
import Logging
import Metrics
import NIOCore
import NIOSSL
import TLS

/// HTTP/1.1 over TLS with client certificates. Every connection has a ``Peer`` that remembers the caller.
struct MutualTLSChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let tls: ReloadedTLS<MutualServer>
    let limits: Limits
    let configuration: HTTP1Channel.Configuration
    let dispatcher: Dispatcher
    /// Connections that were closed because their certificate is denied.
    let denials: Counter

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let server = tls.current
            try channel.pipeline.syncOperations.addHandlers([
                NIOSSLServerHandler(context: server.context), HandshakeTimeout(limit: limits.handshake),
                DenialHandler(server: server, refusals: denials),
            ])
        }.flatMap {
            http(peer: nil).setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Value, logger: Logger) async {
        await http(peer: Peer(tls: tls)).handle(value: value, logger: logger)
    }

    /// A channel is only a responder and settings, so that each connection can have one with its own peer.
    private func http(peer: Peer?) -> HTTP1Channel {
        HTTP1Channel(
            responder: { request, writer, channel in
                try await dispatcher.respond(to: request, with: writer, on: channel, peer: peer)
            }, configuration: configuration)
    }
}

import Metrics
import NIOCore
import NIOSSL
import NIOTLS
import TLS

/// Closes a connection right after its handshake if the client's certificate is denied.
final class DenialHandler: ChannelInboundHandler {
    typealias InboundIn = Any
    typealias InboundOut = Any

    private let server: MutualServer
    private let refusals: Counter

    /// - Parameter refusals: counts the connections that are closed.
    init(server: MutualServer, refusals: Counter) {
        self.server = server
        self.refusals = refusals
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event {
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            if server.denies(certificate?.fingerprint) {
                refusals.increment()
                context.close(promise: nil)
                return
            }
        }
        context.fireUserInboundEventTriggered(event)
    }
}

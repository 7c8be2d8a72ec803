import NIOCore
import NIOSSL
import Synchronization

/// The other end of one connection: its certificate is read at the first request and remembered for the rest.
final class Peer: Sendable {
    private let known = Mutex<Caller?>(nil)

    /// The caller behind a connection with a verified client certificate.
    func caller(on channel: any Channel) async throws -> Caller {
        if let caller = known.withLock({ $0 }) { return caller }
        // A request has arrived, so the handshake is complete and the certificate verified.
        let certificate = try await channel.nioSSL_peerCertificate().get()
        let caller = certificate.map { Caller(certificate: $0) } ?? .anonymous
        known.withLock { $0 = caller }
        return caller
    }
}

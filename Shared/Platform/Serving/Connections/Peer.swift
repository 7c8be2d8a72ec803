import NIOCore
import NIOSSL
import Synchronization
import TLS

/// The other end of one connection: its certificate is read at the first request and remembered for the rest.
final class Peer: Sendable {
    private let known = Mutex<Caller?>(nil)
    private let tls: ReloadedTLS<MutualServer>

    init(tls: ReloadedTLS<MutualServer>) {
        self.tls = tls
    }

    /// The caller behind a connection with a verified client certificate; nil if the certificate is denied, even if it was
    /// denied only after the connection began.
    func caller(on channel: any Channel) async throws -> Caller? {
        let known = try await certificate(on: channel)
        return tls.current.denies(known.fingerprint) ? nil : known
    }

    private func certificate(on channel: any Channel) async throws -> Caller {
        if let known = known.withLock({ $0 }) { return known }
        // A request has arrived, so the handshake is complete and the certificate verified.
        let certificate = try await channel.nioSSL_peerCertificate().get()
        let read = certificate.map { Caller(certificate: $0) } ?? .anonymous
        known.withLock { $0 = read }
        return read
    }
}

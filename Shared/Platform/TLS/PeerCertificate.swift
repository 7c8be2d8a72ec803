internal import Crypto
package import Loop

/// The certificate that a peer has shown. It is read once a connection.
package struct PeerCertificate: Sendable {
    /// As the peer sent it.
    package let derBytes: [UInt8]
    /// The SHA-256 of the DER form.
    package let fingerprint: [UInt8]

    /// Nil if the peer has shown none.
    package init?(of connection: Connection) {
        guard let bytes = connection.peerCertificate else { return nil }
        self.init(derBytes: bytes)
    }

    init(derBytes: [UInt8]) {
        self.derBytes = derBytes
        fingerprint = Array(SHA256.hash(data: derBytes))
    }
}

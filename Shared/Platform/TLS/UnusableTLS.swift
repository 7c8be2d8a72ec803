internal import Loop

/// In place of a connection that OpenSSL can't set up: it fails with its handshake, and the process serves the others.
final class UnusableTLS: SecureTransport {
    let failure = "no memory for TLS, or the name is too long"
    let hasPending = false
    let negotiatedProtocol: String? = nil
    let peerCertificate: [UInt8]? = nil

    func handshake() -> SecureOutcome { .failed }
    func read(into buffer: UnsafeMutableRawBufferPointer) -> SecureOutcome { .failed }
    func write(_ bytes: UnsafeRawBufferPointer) -> SecureOutcome { .failed }
    func shutDown() -> SecureOutcome { .done(0) }
}

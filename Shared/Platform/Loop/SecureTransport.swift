/// TLS on a socket. It reads and writes the descriptor itself and never waits.
///
/// It doesn't close the descriptor. ``Connection`` drops it before the descriptor is closed.
package protocol SecureTransport: AnyObject {
    /// Continues the handshake.
    func handshake() -> SecureOutcome
    /// Decrypts into `buffer`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> SecureOutcome
    /// Encrypts and sends. After ``SecureOutcome/wantsWrite`` the next call must begin with the same bytes.
    func write(_ bytes: UnsafeRawBufferPointer) -> SecureOutcome
    /// Says that nothing more follows, without waiting for the peer to say the same.
    ///
    /// - Returns: anything but ``SecureOutcome/wantsWrite`` is the end of it.
    func shutDown() -> SecureOutcome
    /// Whether it holds bytes that the socket no longer announces.
    var hasPending: Bool { get }
    /// The application protocol, after the handshake; nil if none was agreed.
    var negotiatedProtocol: String? { get }
    /// The peer's certificate in DER, after the handshake; nil if it has none.
    var peerCertificate: [UInt8]? { get }
    /// What went wrong, in the library's words, after ``SecureOutcome/failed``.
    var failure: String { get }
}

/// What came of a step of TLS.
package enum SecureOutcome: Sendable {
    /// So many bytes were read or written; a handshake is complete.
    case done(Int)
    /// The socket must become readable first.
    case wantsRead
    /// The socket must become writable first, also for reading.
    case wantsWrite
    /// The peer said that nothing more follows.
    case ended
    /// The peer hung up without saying so, and what arrived may be a part only (RFC 8446, 6.1).
    case truncated
    /// The socket failed with this `errno`.
    case broken(Int32)
    /// TLS failed; ``SecureTransport/failure`` says how.
    case failed
}

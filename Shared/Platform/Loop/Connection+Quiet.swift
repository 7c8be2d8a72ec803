internal import Glibc

extension Connection {
    /// Whether the peer has said nothing since the last event: neither bytes nor that the connection ends.
    ///
    /// A client looks before it sends a request over a connection that was kept: what is there already can't be the answer
    /// (RFC 9112, section 9.2), and the event of an end may still wait behind others of this turn.
    package var isQuiet: Bool {
        guard state == .open, !hasInputEnded, kept.isEmpty, secure?.hasPending != true else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }
}

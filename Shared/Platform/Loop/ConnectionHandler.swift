/// What a connection's bytes mean. All calls come on the connection's core.
package protocol ConnectionHandler: AnyObject {
    /// A balancer has said for whom it calls, which ``Connection/remote`` now is, after ``Connection/expectProxyHeader()``. The
    /// handshake follows.
    func introduced(_ connection: Connection)

    /// The connection is there, and its handshake is done.
    func opened(_ connection: Connection)

    /// Bytes have arrived.
    ///
    /// - Returns: how many were taken. The connection keeps the others, up to ``Connection/inputLimit``, and offers them again with
    ///   more, or after ``Connection/resumeReading()``.
    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int

    /// The peer sends nothing more; all it has sent was offered. Output can still be written.
    ///
    /// By default the connection is closed. A handler that still works on a request keeps it: the call comes again after the next
    /// ``Connection/resumeReading()``.
    func inputEnded(_ connection: Connection)

    /// The unsent output was above ``Connection/outputMark`` and has fallen to its low end. Reading goes on by itself.
    func canWrite(_ connection: Connection)

    /// The connection is gone. This is the last call, and it comes once.
    func closed(_ connection: Connection, _ reason: ConnectionEnd)
}

extension ConnectionHandler {
    /// Does nothing.
    package func introduced(_ connection: Connection) {}
    /// Does nothing.
    package func opened(_ connection: Connection) {}
    /// Closes the connection, after what was written has been sent.
    package func inputEnded(_ connection: Connection) { connection.close() }
    /// Does nothing.
    package func canWrite(_ connection: Connection) {}
}

/// Why a connection ended.
package enum ConnectionEnd: Error, Hashable, Sendable {
    /// This side closed it.
    case closed
    /// The peer hung up in the middle of TLS.
    case truncated
    /// The socket failed, or the connection was refused.
    case socket(SocketProblem)
    /// It didn't begin with a balancer's header, although it had to (``Connection/expectProxyHeader()``).
    case proxyHeader
    /// TLS failed, with the library's words. They name no peer and hold no secret.
    case security(String)
    /// The host's name has no address.
    case name
    /// It wasn't there in time.
    case timedOut
}

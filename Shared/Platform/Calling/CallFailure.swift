package import HTTPMessage
package import Loop

/// Why an HTTP exchange has no answer.
package enum CallFailure: Error, Sendable {
    /// There is no connection.
    case noConnection(ConnectionEnd)
    /// The connection ended before the answer was complete.
    case ended
    /// The deadline passed.
    case late
    /// Too many requests wait for a connection.
    case busy
    /// The body exceeds its limit.
    case tooLarge
    /// The answer breaks a rule of HTTP, so that nothing of it can be believed.
    case malformed(Violation)
    /// The request can't be written: its target or host is malformed.
    case invalid
    /// The caller's task was cancelled.
    case cancelled
    /// The client was closed.
    case closed
}

package import HTTPMessage

/// Learns what happens on an ``HTTP2Session``: from within `receive`, `drain` and `encodeResponse`, after the library has
/// returned, so that it may call every method of the session but `receive`.
package protocol HTTP2SessionDelegate: AnyObject {
    /// A server's: a request begins. `ends`: it has no body; ``end(_:)`` follows anyway.
    func request(_ stream: Int32, _ head: RequestHead, ends: Bool)
    /// A server's: a request breaks a rule and has to be answered with the violation's status, or reset. What it has of a
    /// body, and its end, follow.
    func refused(_ stream: Int32, _ violation: Violation)
    /// A server's: a stream above the limit was refused, because the client may not know the limit yet. Later ones end the
    /// connection.
    func refusedOverLimit()
    /// A client's: the answer begins. Interim ones aren't reported.
    func response(_ stream: Int32, _ head: ResponseHead, ends: Bool)
    /// A piece of the body, which counts as held until ``HTTP2Session/release(_:_:)`` or the end of its stream.
    func body(_ stream: Int32, _ bytes: Span<UInt8>)
    /// The message is complete; its trailers are dropped.
    func end(_ stream: Int32)
    /// The last frame of our message has been drained. If the peer's isn't complete by then, a server takes and drops a little
    /// more of it, then resets the stream with `noError` (RFC 9113, section 8.1).
    func sent(_ stream: Int32)
    /// The stream has ended, with `noError` when both messages are complete; the last call about it.
    func closed(_ stream: Int32, _ code: HTTP2Code)
    /// The peer opens no more streams, or takes none above `lastStream`; those are closed with `refusedStream`.
    func goAway(lastStream: Int32, _ code: HTTP2Code, data: [UInt8])
    /// The peer's settings have changed, or arrived for the first time.
    func settingsChanged()
    /// The peer has answered ``HTTP2Session/ping()``.
    func pingAnswered()
}

extension HTTP2SessionDelegate {
    /// Does nothing.
    package func request(_ stream: Int32, _ head: RequestHead, ends: Bool) {}
    /// Does nothing.
    package func refused(_ stream: Int32, _ violation: Violation) {}
    /// Does nothing.
    package func refusedOverLimit() {}
    /// Does nothing.
    package func response(_ stream: Int32, _ head: ResponseHead, ends: Bool) {}
    /// Does nothing.
    package func sent(_ stream: Int32) {}
    /// Does nothing.
    package func goAway(lastStream: Int32, _ code: HTTP2Code, data: [UInt8]) {}
    /// Does nothing.
    package func settingsChanged() {}
    /// Does nothing.
    package func pingAnswered() {}
}

/// What nghttp2's callbacks report, kept until the library has returned.
enum HTTP2Event {
    case head(HTTP2Stream, ends: Bool)
    /// The range is of the bytes that are being received.
    case body(HTTP2Stream, Range<Int>)
    case end(HTTP2Stream)
    case sent(HTTP2Stream)
    case closed(HTTP2Stream, HTTP2Code)
    case overLimit
    case goAway(lastStream: Int32, HTTP2Code, data: [UInt8])
    case settings
    case pong
}

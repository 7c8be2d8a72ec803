/// A message's body, which leaves as fast as the peer's windows take it.
package enum HTTP2Body {
    /// All of it; it isn't copied before it becomes frames.
    case bytes([UInt8])
    /// Piece by piece.
    case source(any HTTP2BodySource)
}

/// Gives a body's bytes when they can be sent.
package protocol HTTP2BodySource: AnyObject {
    /// The next piece.
    ///
    /// - Parameter limit: its largest size; at least 1.
    func next(atMost limit: Int) -> HTTP2BodyPiece
}

/// What a source gives.
package enum HTTP2BodyPiece {
    /// Bytes, and whether they are the last.
    case bytes([UInt8], isLast: Bool)
    /// Nothing yet: ``HTTP2Session/resume(_:)`` asks again.
    case later
    /// The body can't be completed: the stream is reset.
    case failed
}

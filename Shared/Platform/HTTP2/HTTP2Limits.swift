/// The bounds of one HTTP/2 connection, and what it offers to its peer.
package struct HTTP2Limits: Sendable {
    /// How many streams the peer may have open.
    package var streams = 100
    /// The size of a message's fields in the count of RFC 9113, section 6.5.2: names, values, and 32 for each.
    package var headBytes = 8192
    /// How many fields a message may have.
    package var fieldCount = 100
    /// How much of a body the peer may send ahead on one stream.
    package var streamWindow = 65_535
    /// How much it may send ahead on all streams.
    package var connectionWindow = 1 << 20
    /// How many bytes of bodies a connection may hold before its streams get no more credit, except for the oldest.
    ///
    /// Without it each of a hundred streams would be filled to the limit of a body.
    package var heldBytes = 2 << 20
    /// Whether sent fields enter HPACK's tables. Without, an answer's length doesn't depend on the answers before.
    package var usesTables = true
    /// Whether the fields of answers with status 200 are kept. A client that looks at none of them, nor at the framing, needn't
    /// pay for them.
    package var keepsFieldsOfSuccess = true
    /// How many points of ``EffortBucket`` a peer may use up at once.
    package var effort = 10_000
    /// How many it gets back in a second.
    package var effortPerSecond = 1_000

    /// The limits of a server.
    package init() {}

    /// The limits of a client: its peer is one that it chose, but may be broken.
    package static var client: Self {
        var limits = Self()
        limits.effort = 50_000
        limits.effortPerSecond = 50_000
        return limits
    }
}

package import FoundationEssentials

/// The outcome of one valid push.
package enum SimulatedAnswer: Sendable {
    /// A reply; 200 accepts the push.
    case reply(status: Int, reason: String? = nil, timestamp: Date? = nil, retryAfter: Int? = nil)
    /// No reply, ever.
    case silence
    /// The push is accepted, and no reply comes.
    case late
    /// RST_STREAM with an HTTP/2 error code.
    case reset(code: UInt32)
    /// GOAWAY.
    case goAway(SimulatedGoAway)
    /// The connection is closed without notice.
    case hangUp

    /// The reply to an accepted push.
    package static let accepted = SimulatedAnswer.reply(status: 200)
}

/// How a connection announces that it accepts no more streams.
package struct SimulatedGoAway: Sendable {
    /// Which stream is named as the last one that was processed.
    package enum LastStream: Sendable {
        /// The stream of the push that triggers the GOAWAY.
        case this
        /// The stream before that.
        case previous
        /// A given stream.
        case number(Int)
    }

    /// The last stream.
    package var last: LastStream
    /// Whether earlier streams are answered; otherwise the connection closes at once.
    package var answersRest: Bool
    /// Goes into the frame as JSON.
    package var reason: String?

    /// Creates a GOAWAY from its parts.
    package init(last: LastStream, answersRest: Bool = true, reason: String? = nil) {
        self.last = last
        self.answersRest = answersRest
        self.reason = reason
    }
}

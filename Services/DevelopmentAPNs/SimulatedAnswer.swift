package import FoundationEssentials

/// What happens to one push that is in order.
package enum SimulatedAnswer: Sendable {
    /// An answer; 200 is an accepted push.
    case reply(status: Int, reason: String? = nil, timestamp: Date? = nil, retryAfter: Int? = nil)
    /// None, ever.
    case silence
    /// RST_STREAM with a code of HTTP/2.
    case reset(code: UInt32)
    /// GOAWAY.
    case goAway(SimulatedFarewell)
    /// The connection is closed without a word.
    case hangUp

    /// What Apple's service says of a push that it takes.
    package static let accepted = SimulatedAnswer.reply(status: 200)
}

/// How a connection announces that it takes no more streams.
package struct SimulatedFarewell: Sendable {
    /// Which stream is named as the last one that was looked at.
    package enum LastStream: Sendable {
        /// That of the push that leads to the announcement.
        case this
        /// The one before.
        case previous
        /// Any.
        case number(Int)
    }

    /// The last stream.
    package var last: LastStream
    /// Whether those that came before it are answered; otherwise the connection closes at once.
    package var answersRest: Bool
    /// Goes into the frame as JSON.
    package var reason: String?

    /// A farewell as its parts.
    package init(last: LastStream, answersRest: Bool = true, reason: String? = nil) {
        self.last = last
        self.answersRest = answersRest
        self.reason = reason
    }
}

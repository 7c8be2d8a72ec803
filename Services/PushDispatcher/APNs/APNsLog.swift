import Logging
import Loop

/// Logs why APNs doesn't accept pushes: each reason at most once a minute, since it may concern all pushes of a wave.
///
/// What a reply says of one phone's token is only counted.
struct APNsLog {
    private let logger: Logger
    /// When each reason was logged last.
    private var last: [Line: Moment] = [:]

    private struct Line: Hashable {
        let reason: String
        /// Nil without a reply.
        let status: Int?
    }

    private static let distance = Duration.seconds(60)

    init(_ logger: Logger) { self.logger = logger }

    /// Notes a reply that neither accepts a push nor says something of its token.
    mutating func note(_ reply: APNsReply, at now: Moment) {
        note(Line(reason: (reply.reason ?? .unknown).rawValue, status: reply.status), at: now)
    }

    /// Notes that a push has no reply.
    mutating func note(_ cause: RetryCause, at now: Moment) {
        // APNs refuses streams beside each rejected push.
        guard cause != .refusedStream else { return }
        note(Line(reason: cause.rawValue, status: nil), at: now)
    }

    private mutating func note(_ line: Line, at now: Moment) {
        if let before = last[line], now - before < Self.distance { return }
        last[line] = now
        logger.warning(
            "APNs doesn't accept a push",
            metadata: ["reason": "\(line.reason)", "status": "\(line.status.map { "\($0)" } ?? "none")"])
    }
}

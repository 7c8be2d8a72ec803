import HTTPContract
package import HTTPTypes
package import Logging
package import Loop
import Synchronization

/// Tells the operator which call a peer refuses, or answers with something else than its contract: without that, a metric alone
/// does, and phones get 503 for ever.
///
/// A line each minute at most for each operation and status.
package final class RefusalLog: Sendable {
    private let peer: String
    private let logger: Logger
    /// When each line was written last.
    private let written = Mutex<[Line: Moment]>([:])

    private struct Line: Hashable {
        let path: String
        /// Nil without an answer, and for one that isn't one.
        let status: HTTPResponse.Status?
        var reason: String?
    }

    private static let pause = Duration.seconds(60)

    /// - Parameter peer: its name in the log.
    package init(peer: String, _ logger: Logger) {
        self.peer = peer
        self.logger = logger
    }

    /// Tells of a call to one of our own services. A status that the operation's contract names is no fault: the caller's own
    /// caller is told.
    func record<Request, Response>(_ error: CallError, of endpoint: Endpoint<Request, Response>, at now: Moment) {
        let path = endpoint.route.path
        switch error {
        case .unavailable: return
        case .refused(let status):
            if endpoint.refusals[status] == nil { refused(status, at: path, now: now) }
        case .malformedAnswer: malformed(at: path, now: now)
        }
    }

    /// Tells of an answer that nobody understands.
    package func malformed(at path: String, now: Moment = .now()) {
        guard isDue(Line(path: path, status: nil), now) else { return }
        logger.warning("a peer's answers break the contract", metadata: ["peer": "\(peer)", "route": "\(path)"])
    }

    /// Tells of a call without an answer.
    ///
    /// - Parameter reason: one of a few fixed words.
    package func unanswered(_ reason: String, at path: String, now: Moment = .now()) {
        guard isDue(Line(path: path, status: nil, reason: reason), now) else { return }
        logger.warning(
            "a peer doesn't answer", metadata: ["peer": "\(peer)", "route": "\(path)", "reason": "\(reason)"])
    }

    /// Tells of a refusal that isn't the fault of the caller's own caller.
    ///
    /// - Parameters:
    ///   - path: of the operation, without anything that belongs to one call.
    ///   - reason: one of a few fixed words, if the peer gives reasons.
    package func refused(
        _ status: HTTPResponse.Status, at path: String, reason: String? = nil, now: Moment = .now()
    ) {
        guard isDue(Line(path: path, status: status, reason: reason), now) else { return }
        var metadata: Logger.Metadata = ["peer": "\(peer)", "route": "\(path)", "status": "\(status.code)"]
        if let reason { metadata["reason"] = "\(reason)" }
        logger.warning("a peer refuses calls", metadata: metadata)
    }

    private func isDue(_ line: Line, _ now: Moment) -> Bool {
        written.withLock { written in
            if let last = written[line], now - last < Self.pause { return false }
            written[line] = now
            return true
        }
    }
}

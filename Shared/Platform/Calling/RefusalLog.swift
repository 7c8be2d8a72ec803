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
        /// Nil for an answer that isn't one.
        let status: HTTPResponse.Status?
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
        case .malformedAnswer:
            guard isDue(Line(path: path, status: nil), now) else { return }
            logger.warning("a peer's answers break the contract", metadata: ["peer": "\(peer)", "route": "\(path)"])
        }
    }

    /// Tells of a refusal that isn't the fault of the caller's own caller.
    ///
    /// - Parameter path: of the operation, without anything that belongs to one call.
    package func refused(_ status: HTTPResponse.Status, at path: String, now: Moment = .now()) {
        guard isDue(Line(path: path, status: status), now) else { return }
        logger.warning(
            "a peer refuses calls", metadata: ["peer": "\(peer)", "route": "\(path)", "status": "\(status.code)"])
    }

    private func isDue(_ line: Line, _ now: Moment) -> Bool {
        written.withLock { written in
            if let last = written[line], now - last < Self.pause { return false }
            written[line] = now
            return true
        }
    }
}

import FoundationEssentials
package import Logging
package import Running
import Synchronization

/// Logs why something of the identity provider isn't accepted: each reason at most once a minute, because strangers can cause some of
/// them as often as they like.
package final class IdentityLog: Sendable {
    private let logger: Logger
    private let clock: WallClock
    /// When each reason was logged last.
    private let last = Mutex<[IdentityFault: Date]>([:])

    /// Seconds between two lines of one reason.
    private static let distance: TimeInterval = 60

    /// Creates a log in which nothing was logged.
    package init(_ logger: Logger, clock: WallClock) {
        self.logger = logger
        self.clock = clock
    }

    /// Logs a reason, unless it was within the last minute.
    package func note(_ fault: IdentityFault) {
        let now = clock.now
        let isDue = last.withLock { last in
            if let before = last[fault], (0..<Self.distance).contains(now.timeIntervalSince(before)) { return false }
            last[fault] = now
            return true
        }
        guard isDue else { return }
        logger.warning("not accepted of the identity provider", metadata: ["reason": "\(fault.rawValue)"])
    }
}

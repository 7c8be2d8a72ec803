package import FoundationEssentials
import Synchronization

/// A clock that stands until it is moved, for tests.
package final class ManualClock: Sendable {
    private let instant: Mutex<Date>

    /// A clock that stands at an instant.
    package init(_ start: Date) {
        instant = Mutex(start)
    }

    /// The clock as others see it; it follows every later move.
    package var clock: WallClock {
        WallClock({ self.now }, movedBy: { self.now.timeIntervalSinceNow })
    }

    /// What the clock shows.
    package var now: Date { instant.withLock { $0 } }

    /// Shows another time.
    package func set(_ date: Date) {
        instant.withLock { $0 = date }
    }

    /// Moves the clock.
    /// - Parameter seconds: forwards, or backwards if negative.
    package func advance(by seconds: Double) {
        instant.withLock { $0.addTimeInterval(seconds) }
    }
}

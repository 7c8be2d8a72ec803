package import FoundationEssentials
package import Running
import Synchronization

/// A clock for tests that changes only when a test moves it.
package final class ManualClock: Sendable {
    private let instant: Mutex<Date>

    /// Creates a clock that shows an instant.
    package init(_ start: Date) {
        instant = Mutex(start)
    }

    /// The clock to pass to the code under test. It follows every later move.
    package var clock: WallClock {
        WallClock({ self.now }, movedBy: { self.now.timeIntervalSinceNow })
    }

    /// The time that the clock shows.
    package var now: Date { instant.withLock { $0 } }

    /// Sets the clock to another time.
    package func set(_ date: Date) {
        instant.withLock { $0 = date }
    }

    /// Moves the clock.
    /// - Parameter seconds: forwards, or backwards if negative.
    package func advance(by seconds: Double) {
        instant.withLock { $0.addTimeInterval(seconds) }
    }
}

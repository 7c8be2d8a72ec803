package import FoundationEssentials

/// The time of day as a value that is passed around, so that expiry, embargo and retention can be tested exactly.
package struct WallClock: Sendable {
    private let read: @Sendable () -> Date
    private let movement: @Sendable () -> TimeInterval

    /// Creates a clock from a closure.
    /// - Parameter movement: returns ``movedBy``.
    package init(
        _ read: @escaping @Sendable () -> Date, movedBy movement: @escaping @Sendable () -> TimeInterval = { 0 }
    ) {
        self.read = read
        self.movement = movement
    }

    /// The current time, in UTC.
    package var now: Date { read() }

    /// By how many seconds the clock is deliberately ahead of the machine's, in a rehearsal or a test.
    ///
    /// A clock that is merely wrong returns 0, because it claims to be the machine's.
    package var movedBy: TimeInterval { movement() }

    /// The machine's clock.
    package static let system = WallClock { Date() }

    /// The machine's clock, moved; for rehearsals only (the story at midnight).
    package static func offset(by seconds: Double) -> WallClock {
        WallClock({ Date().addingTimeInterval(seconds) }, movedBy: { seconds })
    }
}

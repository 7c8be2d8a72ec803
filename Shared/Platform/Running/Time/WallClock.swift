package import FoundationEssentials

/// The time of day as a value that is passed around, so that expiry, embargo and retention can be tested exactly.
package struct WallClock: Sendable {
    private let read: @Sendable () -> Date
    private let movement: @Sendable () -> TimeInterval
    /// How long a sleeper may go without a look at the clock; nil for a clock that nobody moves while it runs.
    private let look: Duration?

    /// Creates a clock from a closure.
    /// - Parameters:
    ///   - movement: returns ``movedBy``.
    ///   - look: how often a sleeper looks whether somebody has moved the clock; nil for a clock that runs like the machine's.
    package init(
        _ read: @escaping @Sendable () -> Date, movedBy movement: @escaping @Sendable () -> TimeInterval = { 0 },
        lookingEvery look: Duration? = nil
    ) {
        self.read = read
        self.movement = movement
        self.look = look
    }

    /// The current time, in UTC.
    package var now: Date { read() }

    /// Seconds since the epoch, as test results carry them.
    package var epochSeconds: Int32 { Int32(clamping: Int64(now.timeIntervalSince1970)) }

    /// By how many seconds the clock is deliberately ahead of the machine's, in a rehearsal or a test.
    ///
    /// A clock that is merely wrong returns 0, because it claims to be the machine's.
    package var movedBy: TimeInterval { movement() }

    /// Returns when the clock shows an instant, at once if that has passed.
    /// - Throws: `CancellationError`.
    package func sleep(until instant: Date) async throws {
        var rest = instant.timeIntervalSince(now)
        if let look {
            while rest > 0 {
                try await Task.sleep(for: min(.seconds(rest), look))
                rest = instant.timeIntervalSince(now)
            }
        } else if rest > 0 {
            try await Task.sleep(for: .seconds(rest))
        }
        try Task.checkCancellation()
    }

    /// The machine's clock.
    package static let system = WallClock { Date() }

    /// The machine's clock, moved; for rehearsals only (the story at midnight).
    package static func offset(by seconds: Double) -> WallClock {
        WallClock({ Date().addingTimeInterval(seconds) }, movedBy: { seconds })
    }
}

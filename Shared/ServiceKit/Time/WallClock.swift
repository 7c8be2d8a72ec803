package import FoundationEssentials

/// The time of day as a value that is passed on, so that expiry, embargo and retention can be tested exactly.
package struct WallClock: Sendable {
    private let read: @Sendable () -> Date

    /// A clock that tells what the closure says.
    package init(_ read: @escaping @Sendable () -> Date) {
        self.read = read
    }

    /// The time now, in UTC as all dates are.
    package var now: Date { read() }

    /// The machine's clock.
    package static let system = WallClock { Date() }

    /// The machine's clock, moved: for rehearsals only (the story at midnight).
    package static func offset(by seconds: Double) -> WallClock {
        WallClock { Date().addingTimeInterval(seconds) }
    }
}

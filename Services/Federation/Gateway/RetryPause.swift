import FoundationEssentials

/// When something that a gateway didn't answer is tried again: a minute after the first time, twice as long after each further one, up to a
/// limit; less by up to a half at random, so that the countries don't all come back at once.
struct RetryPause: Sendable {
    private static let first: TimeInterval = 60
    let longest: TimeInterval

    /// - Parameter attempts: how often it was tried before.
    func end(after attempts: Int, from now: Date) -> Date {
        let pause = min(longest, Self.first * Double(1 << min(attempts, 20)))
        return now.addingTimeInterval(pause * .random(in: 0.5...1))
    }
}

import FoundationEssentials

/// Growing pauses between attempts: each is twice as long as the one before, up to a limit, and random within its second half, so that
/// phones that failed together don't come back together.
struct BackOff: Codable, Hashable, Sendable {
    private var failures: UInt8 = 0

    /// The pause after a failure, in seconds.
    mutating func pause(
        first: TimeInterval, longest: TimeInterval, using random: inout some RandomNumberGenerator
    ) -> TimeInterval {
        let pause = min(first * Double(1 << min(Int(failures), 20)), longest)
        failures = min(failures, .max - 1) + 1
        return pause * .random(in: 0.5...1, using: &random)
    }

    /// An attempt has succeeded.
    mutating func reset() { failures = 0 }
}

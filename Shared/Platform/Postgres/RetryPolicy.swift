/// How often a transaction that lost against another (40001, 40P01) is run again, as a whole.
///
/// The connection is given back between two attempts.
package struct RetryPolicy: Sendable {
    /// Runs of the closure, the first one included.
    package let attempts: Int

    private init(attempts: Int) {
        self.attempts = attempts
    }

    /// The first conflict is the caller's.
    package static let never = RetryPolicy(attempts: 1)
    /// As many runs as nearly always suffice; the last conflict is the caller's.
    package static let onConflict = RetryPolicy(attempts: 6)

    /// At most this many runs, the first one included.
    package static func attempts(_ count: Int) -> RetryPolicy {
        RetryPolicy(attempts: max(1, count))
    }

    /// The pause after a failed run: doubling from 5 ms to 160 ms, and a random part of it, so that those who met once
    /// do not meet again.
    ///
    /// `jitter` is from 0 to 1.
    func pause(after attempt: Int, jitter: Double) -> Duration {
        .milliseconds(5 << min(attempt - 1, 5)) * (0.5 + jitter / 2)
    }
}

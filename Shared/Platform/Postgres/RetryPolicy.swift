/// How often a closure that failed because of a concurrent transaction (40001, 40P01) is run again, as a whole
/// (<https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html>).
///
/// The connection goes back to the pool between two attempts.
package struct RetryPolicy: Sendable {
    /// Runs of the closure, the first one included.
    let attempts: Int

    /// Throws the first conflict.
    package static let never = RetryPolicy(attempts: 1)
    /// Enough runs for nearly every conflict; throws the last one.
    package static let onConflict = RetryPolicy(attempts: 6)

    /// Waits before the next run; false if there is none.
    func waits(after attempt: inout Int) async throws -> Bool {
        guard attempt < attempts else { return false }
        try await Task.sleep(for: pause(after: attempt, jitter: .random(in: 0...1)))
        attempt += 1
        return true
    }

    /// The pause after a failed run: exponential from 5 ms to 160 ms, of which up to a half is random, so that two transactions
    /// that met don't meet again.
    /// - Parameter jitter: random, from 0 to 1.
    func pause(after attempt: Int, jitter: Double) -> Duration {
        .milliseconds(5 << min(attempt - 1, 5)) * (0.5 + jitter / 2)
    }
}

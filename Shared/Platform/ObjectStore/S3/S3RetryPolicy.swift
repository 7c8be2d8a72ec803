/// The deadline and the retries of requests to an S3 store.
struct S3RetryPolicy: Sendable {
    /// The time limit for one attempt, from connecting to the answer's last byte.
    var deadline: Duration = .seconds(60)
    /// Including the first.
    var attempts = 5
    /// Waits between two attempts.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// A random number from 0 to 1.
    var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    /// The pause after a failed attempt: exponential backoff from 0.2 s to 6.4 s with jitter, so that clients that failed
    /// together don't retry together.
    func pause(after attempt: Int) -> Duration {
        .milliseconds(200 << min(attempt - 1, 5)) * (0.5 + jitter() / 2)
    }
}

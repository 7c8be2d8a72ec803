/// How long an S3 store is waited for, and how often it is asked.
struct S3Patience: Sendable {
    /// For one attempt, from the connection to the answer's last byte.
    var deadline: Duration = .seconds(60)
    /// The first one included.
    var attempts = 5
    /// Waits between two attempts.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// From 0 to 1.
    var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    /// The pause after a failed attempt: doubling from 0.2 s to 6.4 s, and a random part of it, so that those who were
    /// turned away together don't come back together.
    func pause(after attempt: Int) -> Duration {
        .milliseconds(200 << min(attempt - 1, 5)) * (0.5 + jitter() / 2)
    }
}

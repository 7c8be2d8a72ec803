/// Exponential backoff with full jitter, so that pushes that failed together aren't retried together.
struct Backoff: Sendable {
    let base: Duration
    let cap: Duration

    /// - Parameter attempt: from 1 on.
    func pause(before attempt: Int, using random: inout any RandomNumberGenerator) -> Duration {
        let most = min(cap, base * (1 << min(max(0, attempt - 1), 40)))
        return most * Double.random(in: 0...1, using: &random)
    }
}

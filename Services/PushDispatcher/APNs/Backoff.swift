import NIOCore

/// Pauses before repetitions: exponential, and anything from nothing to that (full jitter), so that many who failed together
/// don't come back together.
struct Backoff: Sendable {
    let base: TimeAmount
    let cap: TimeAmount

    /// - Parameter attempt: begins with 1.
    func pause(before attempt: Int, using random: inout any RandomNumberGenerator) -> TimeAmount {
        let most = min(Double(cap.nanoseconds), Double(base.nanoseconds) * Double(1 << min(max(0, attempt - 1), 40)))
        return .nanoseconds(Int64(Double.random(in: 0...1, using: &random) * most))
    }
}

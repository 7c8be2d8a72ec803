import NIOCore

/// Exponential backoff with full jitter, so that pushes that failed together aren't retried together.
struct Backoff: Sendable {
    let base: TimeAmount
    let cap: TimeAmount

    /// - Parameter attempt: from 1 on.
    func pause(before attempt: Int, using random: inout any RandomNumberGenerator) -> TimeAmount {
        let most = min(Double(cap.nanoseconds), Double(base.nanoseconds) * Double(1 << min(max(0, attempt - 1), 40)))
        return .nanoseconds(Int64(Double.random(in: 0...1, using: &random) * most))
    }
}

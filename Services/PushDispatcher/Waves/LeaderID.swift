import Credentials
import Running

/// Names who leads a wave, from when it took it to when it leaves it.
struct LeaderID: Hashable, Sendable {
    /// Exactly 16 bytes.
    let bytes: [UInt8]

    /// A new one.
    static func fresh() -> LeaderID {
        var randomness = SystemRandomNumberGenerator()
        return LeaderID(bytes: RandomIdentifier(using: &randomness).bytes)
    }
}

/// Somebody else has taken the wave over, because this process was believed dead; it must change nothing any more.
struct LostLead: OperatorProblem {
    let description = "Another push-dispatcher has taken the wave over."
}

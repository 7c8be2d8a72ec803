import Credentials

/// Identifies the leader of a wave, from taking it over to leaving it.
struct LeaderID: Hashable, Sendable {
    /// Exactly 16 bytes.
    let bytes: [UInt8]

    /// Creates a new id.
    static func fresh() -> LeaderID {
        var randomness = SystemRandomNumberGenerator()
        return LeaderID(bytes: RandomIdentifier(using: &randomness).bytes)
    }
}

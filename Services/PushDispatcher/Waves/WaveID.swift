import Credentials

/// Names a wave; random, so that no two have the same even after a database was restored.
struct WaveID: Hashable, Sendable {
    /// Exactly 16 bytes.
    let bytes: [UInt8]

    /// A new one.
    static func fresh() -> WaveID {
        var randomness = SystemRandomNumberGenerator()
        return WaveID(bytes: RandomIdentifier(using: &randomness).bytes)
    }
}

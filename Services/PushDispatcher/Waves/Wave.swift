import Credentials
import FoundationEssentials

/// A running wave: its id, the expiration of its pushes, and its progress.
struct Wave: Sendable {
    let id: WaveID
    let startedAt: Date
    /// The expiration of its pushes. A phone that is reachable again by then is woken; a later one is woken by the next wave.
    let expiresAt: Date
    /// The number of registrations at its start.
    let size: Int
    /// Registrations up to this hash are processed; empty at the start.
    var position: [UInt8]
    /// The last hash of a page whose sending began, and whose results aren't recorded yet.
    var pageEnd: [UInt8]?
    var sent: Int
    var accepted: Int
    var removed: Int
}

/// How a wave ends, as the table stores it.
enum WaveOutcome: String, Sendable, CaseIterable {
    /// All registrations were processed.
    case finished
    /// All registrations were processed, and APNs accepted none of them, although some pushes were given up or couldn't be sent.
    case unaccepted
    /// Its time was over before the end; the next one begins from the start.
    case expired
    /// APNs refused our credentials or requests.
    case refused
    /// So many tokens were rejected that the settings are probably wrong (``Breaker``).
    case breaker
}

/// What determines whether a wave is due.
struct WaveTimes: Sendable, Equatable {
    /// Whether one is running, or was left by a process that died.
    var isRunning = false
    /// When the last one began; nil if there was none.
    var lastStart: Date?
    /// When the last wave ended that may have woken phones. The last page of a wave that was stopped doesn't count as sent.
    var lastEnd: Date?
    /// When a wave was planned that hasn't begun.
    var planned: Date?
}

/// Identifies a wave. It is random, so that no two are equal even after a database is restored.
struct WaveID: Hashable, Sendable {
    /// Exactly 16 bytes.
    let bytes: [UInt8]

    /// Creates a new id.
    static func fresh() -> WaveID {
        var randomness = SystemRandomNumberGenerator()
        return WaveID(bytes: RandomIdentifier(using: &randomness).bytes)
    }
}

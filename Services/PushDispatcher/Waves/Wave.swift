import Credentials
import FoundationEssentials

/// A wave that goes on: which it is, until when its pushes count, and how far it has come.
struct Wave: Sendable {
    let id: WaveID
    let startedAt: Date
    /// Every push's expiration: a phone that comes back within it is woken, later the next wave has taken over.
    let expiresAt: Date
    /// Registrations when it began.
    let size: Int
    /// All up to this hash are dealt with; empty at the beginning.
    var position: [UInt8]
    /// The last hash of a page that somebody began to send, and whose end nobody wrote down.
    var pageEnd: [UInt8]?
    var sent: Int
    var accepted: Int
    var removed: Int
}

/// How a wave ends, as the table has it.
enum WaveOutcome: String, Sendable, CaseIterable {
    /// All registrations were dealt with.
    case finished
    /// Its time was over before; the next one begins from the start.
    case expired
    /// APNs refused what isn't a phone's fault: credentials, or a defect of ours.
    case refused
    /// So many tokens were called wrong that rather the settings are (``Breaker``).
    case breaker
}

/// What is known of the waves when somebody looks whether one is due.
struct WaveTimes: Sendable, Equatable {
    /// Whether one goes on, or was left by a process that died.
    var isRunning = false
    /// When the last one began; nil if there was none.
    var lastStart: Date?
    /// When the last one ended that may have woken anybody: of one that was stopped the last page isn't counted as sent.
    var lastEnd: Date?
    /// When one was planned that hasn't begun.
    var planned: Date?
}

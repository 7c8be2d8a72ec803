import ExposureKeys
import FederationFormat
import FoundationEssentials

/// A batch that the gateway has and that hasn't been read.
struct AnnouncedBatch: Sendable {
    let tag: BatchTag
    let day: Day
    /// How often it was asked for without a useful answer.
    let attempts: Int
}

/// The states of an incoming batch, as the database has them.
enum IncomingState: String, CaseIterable, Sendable {
    case announced
    case imported
    case partial
    case quarantined
    case gone
}

/// A verified key of another country, as it is stored.
struct ForeignKey: Sendable {
    let key: DiagnosisKey
    let origin: CountryCode
    /// In alphabetical order, without a separator.
    let visited: String

    /// The beginning of its period, as it is stored.
    var start: Int32 { Int32(clamping: key.rollingPeriod.start.rawValue) }
}

/// What was found in a batch.
struct ReadBatch: Sendable {
    /// An upload in the batch, as the audit found it.
    struct Upload: Sendable, Equatable {
        let country: CountryCode?
        let keys: Int
        /// `verified`, `own`, ``unwanted``, or why it isn't trusted.
        let outcome: String

        /// It failed, and its country's keys aren't imported anyway.
        static let unwanted = "country_left_out"
    }

    var state: IncomingState
    var reason: String?
    /// What the gateway said, if it refused.
    var answer: String?
    /// The batch after it, if the gateway named one.
    var next: BatchTag?
    /// How many keys it has.
    var count = 0
    var keys: [ForeignKey] = []
    var uploads: [Upload] = []
    /// Keys that aren't imported, by reason.
    var leftOut: [String: Int] = [:]

    mutating func leaveOut(_ reason: String, _ keys: Int = 1) {
        if keys > 0 { leftOut[reason, default: 0] += keys }
    }

    /// Nothing of the batch can be used.
    static func quarantined(_ reason: String, _ answer: String? = nil) -> ReadBatch {
        ReadBatch(state: .quarantined, reason: reason, answer: answer)
    }
}

import ExposureKeys

@testable import SubmissionServer

/// The keys of an hour's package as everybody can read them: metadata only, since the data are random.
struct PublishedSample {
    /// What equal keys have in common.
    struct Metadata: Hashable {
        /// From the key's day to the upload's.
        let daysAgo: Int
        let length: UInt32
        let level: Int
        let onset: Int
    }

    /// How often each metadata occurs.
    let multiplicities: [Metadata: Int]

    /// What of an hour's keys phones see at once.
    init(_ keys: [DiagnosisKey], of hour: Hour) {
        let policy = PublicationPolicy()
        multiplicities = keys.reduce(into: [:]) { multiplicities, key in
            guard policy.releaseHour(of: key, submitted: hour) == hour else { return }
            let days = Int(hour.day.firstInterval.rawValue - key.rollingPeriod.start.rawValue) / 144
            let metadata = Metadata(
                daysAgo: days, length: key.rollingPeriod.length, level: key.transmissionRiskLevel.rawValue,
                onset: Int(key.daysSinceOnsetOfSymptoms.rawValue))
            multiplicities[metadata, default: 0] += 1
        }
    }
}

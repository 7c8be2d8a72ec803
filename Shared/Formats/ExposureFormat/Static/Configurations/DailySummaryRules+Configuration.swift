import ExposureKeys
package import Exposures
import SwiftProtobuf

extension DailySummaryRules {
    /// The rules for daily summaries in the configuration for Android, as ``StaticMessage`` encodes it.
    ///
    /// A threshold of 0 days is none.
    /// - Throws: ``InvalidMessage`` if the bytes are no such configuration, or if it breaks a rule.
    package init(configuration bytes: [UInt8], of message: StaticMessage) throws(InvalidMessage) {
        try message.review(encoded: bytes)
        guard message == .applicationConfigurationAndroid,
            let configuration = try? WireApplicationConfigurationAndroid(serializedBytes: bytes)
        else { throw InvalidMessage(["The message is no configuration with rules for daily summaries."]) }
        let summaries = configuration.dailySummariesConfig
        let days = Int(summaries.daysSinceExposureThreshold)
        let rules = DailySummaryRules(
            thresholds: summaries.attenuationBucketThresholdDb.map(Int.init),
            weights: summaries.attenuationBucketWeights,
            reportTypes: summaries.reportTypeWeights.compactMapKeys { ReportType(rawValue: $0) },
            infectiousness: summaries.infectiousnessWeights.compactMapKeys { Infectiousness(rawValue: $0) },
            minimumWindowScore: summaries.minimumWindowScore, maximumDays: days == 0 ? nil : days)
        guard let rules else {
            throw InvalidMessage(["dailySummariesConfig must have three thresholds in order, and four weights."])
        }
        self = rules
    }
}

extension [Int32: Double] {
    /// The weights of what a number names.
    fileprivate func compactMapKeys<Name: Hashable>(_ name: (Int) -> Name?) -> [Name: Double] {
        reduce(into: [:]) { weights, entry in
            if let name = name(Int(entry.key)) { weights[name] = entry.value }
        }
    }
}

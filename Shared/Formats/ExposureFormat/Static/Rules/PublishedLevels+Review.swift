package import ExposureKeys
import SwiftProtobuf

extension StaticMessage {
    /// What of a configuration contradicts the transmission risk levels that the server publishes: apps must give every published
    /// level a risk, and every other one none. Otherwise people would be warned of nothing, or for nothing.
    /// - Parameter lowest: keys below this level aren't published.
    /// - Returns: plain sentences; none for messages that aren't a configuration of version 2 of Exposure Notification.
    package func contradictions(
        encoded bytes: [UInt8], publishingFrom lowest: TransmissionRiskLevel
    ) -> [String] {
        let parameters: WireRiskCalculationParameters? =
            switch self {
            case .applicationConfigurationIOS:
                (try? WireApplicationConfigurationIOS(serializedBytes: bytes))?.riskCalculationParameters
            case .applicationConfigurationAndroid:
                (try? WireApplicationConfigurationAndroid(serializedBytes: bytes))?.riskCalculationParameters
            default: nil
            }
        guard let parameters else { return [] }
        var review = MessageReview()
        review.inside("riskCalculationParameters") { review in
            for level in TransmissionRiskLevel.range {
                parameters.review(level, isPublished: level >= lowest.rawValue, lowest: lowest.rawValue, &review)
            }
        }
        return review.findings
    }
}

extension WireRiskCalculationParameters {
    fileprivate func review(_ level: Int, isPublished: Bool, lowest: Int, _ review: inout MessageReview) {
        let value = transmissionRiskValueMapping.first { $0.transmissionRiskLevel == level }?.transmissionRiskValue ?? 0
        let isFiltered = trlFilters.contains { $0.dropIfTrlInRange.contains(Double(level)) }
        let published = "keys of level \(lowest) and above are published (lowestRiskLevel)"
        if isPublished {
            review.require(
                value > 0, "transmissionRiskValueMapping", "gives level \(level) no risk, but \(published)")
            review.require(!isFiltered, "trlFilters", "drops level \(level), but \(published)")
            let decoded = trlEncoding.level(published: level)
            review.require(
                decoded == level, "trlEncoding", "reads level \(level) as \(decoded), which is published otherwise")
        } else {
            review.require(
                value == 0 || isFiltered, "transmissionRiskValueMapping",
                "gives level \(level) a risk, but only \(published)")
        }
    }
}

extension WireTransmissionRiskLevelEncoding {
    /// The level that apps compute from the report type and the infectiousness that stand for a level in published keys.
    fileprivate func level(published level: Int) -> Int {
        let type =
            switch ExportedKey.reportType(forLevel: level) {
            case .selfReport: reportTypeOffsetSelfReport
            case .confirmedClinicalDiagnosis: reportTypeOffsetConfirmedClinicalDiagnosis
            case .confirmedTest: reportTypeOffsetConfirmedTest
            default: reportTypeOffsetRecursive
            }
        let isHigh = ExportedKey.infectiousness(forLevel: level) == 2
        return Int(type) + Int(isHigh ? infectiousnessOffsetHigh : infectiousnessOffsetStandard)
    }
}

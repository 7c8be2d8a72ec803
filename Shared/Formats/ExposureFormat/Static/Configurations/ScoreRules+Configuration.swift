package import Exposures
import SwiftProtobuf

extension ScoreRules {
    /// The rules in the configuration of the first apps, as ``StaticMessage`` encodes it.
    ///
    /// Scores are high from the class on that has the label `HIGH`, by which those apps found it. The weights of the four groups of levels
    /// aren't read: both operating systems reserve them.
    /// - Throws: ``InvalidMessage`` if the bytes are no such configuration, or if it breaks a rule or has no such class.
    package init(configuration bytes: [UInt8], of message: StaticMessage) throws(InvalidMessage) {
        try message.review(encoded: bytes)
        guard message == .applicationConfiguration,
            let configuration = try? WireApplicationConfiguration(serializedBytes: bytes)
        else { throw InvalidMessage(["The message is no configuration with rules for scores."]) }
        guard let high = configuration.riskScoreClasses.riskClasses.first(where: { $0.label == "HIGH" }) else {
            throw InvalidMessage(["riskScoreClasses.riskClasses must have a class with the label HIGH."])
        }
        let (levels, minutes) = (configuration.exposureConfig, configuration.attenuationDuration)
        self.init(
            attenuation: try Levels(levels.attenuation.levels), days: try Levels(levels.daysSinceLastExposure.levels),
            duration: try Levels(levels.duration.levels), transmission: try Levels(levels.transmission.levels),
            minimumScore: Int(configuration.minRiskScore), lowerThreshold: Int(minutes.thresholds.lower),
            upperThreshold: Int(minutes.thresholds.upper),
            weights: Weights(low: minutes.weights.low, middle: minutes.weights.mid, high: minutes.weights.high),
            offset: Double(minutes.defaultBucketOffset), divisor: Double(minutes.riskScoreNormalizationDivisor),
            highFrom: Double(high.min))
    }
}

extension ScoreRules.Levels {
    fileprivate init(_ levels: [(field: String, level: WireRiskLevel)]) throws(InvalidMessage) {
        guard let levels = Self(levels.map { $0.level.rawValue }) else {
            throw InvalidMessage(["exposureConfig must have levels from 0 to 8."])
        }
        self = levels
    }
}

import ExposureKeys
package import Exposures
import SwiftProtobuf

extension RiskRules {
    /// The rules for exposure windows in an app's configuration, as ``StaticMessage`` encodes it.
    ///
    /// The multiplier of apps before 1.15 isn't read: a level without a value counts nothing.
    /// - Throws: ``InvalidMessage`` if the bytes are no configuration of a system, or if the configuration breaks a rule.
    package init(configuration bytes: [UInt8], of message: StaticMessage) throws(InvalidMessage) {
        try message.review(encoded: bytes)
        let parameters: WireRiskCalculationParameters? =
            switch message {
            case .applicationConfigurationIOS:
                (try? WireApplicationConfigurationIOS(serializedBytes: bytes))?.riskCalculationParameters
            case .applicationConfigurationAndroid:
                (try? WireApplicationConfigurationAndroid(serializedBytes: bytes))?.riskCalculationParameters
            default: nil
            }
        guard let parameters else {
            throw InvalidMessage(["The message is no configuration with rules for exposure windows."])
        }
        self.init(
            attenuationFilters: parameters.minutesAtAttenuationFilters.map {
                AttenuationFilter(
                    attenuation: RiskRange($0.attenuationRange), droppedMinutes: RiskRange($0.dropIfMinutesInRange))
            },
            droppedLevels: parameters.trlFilters.map { RiskRange($0.dropIfTrlInRange) },
            attenuationWeights: parameters.minutesAtAttenuationWeights.map {
                AttenuationWeight(attenuation: RiskRange($0.attenuationRange), weight: $0.weight)
            },
            perWindow: parameters.normalizedTimePerEwtoRiskLevelMapping.compactMap(RiskGrade.init),
            perDay: parameters.normalizedTimePerDayToRiskLevelMapping.compactMap(RiskGrade.init),
            levelEncoding: LevelEncoding(parameters.trlEncoding),
            riskValues: Dictionary(
                parameters.transmissionRiskValueMapping.map {
                    (Int($0.transmissionRiskLevel), $0.transmissionRiskValue)
                }, uniquingKeysWith: { first, _ in first }),
            maximumDays: Int(parameters.maxEncounterAgeInDays))
    }
}

extension RiskRules.LevelEncoding {
    fileprivate init(_ encoding: WireTransmissionRiskLevelEncoding) {
        self.init(
            standard: Int(encoding.infectiousnessOffsetStandard), high: Int(encoding.infectiousnessOffsetHigh),
            recursive: Int(encoding.reportTypeOffsetRecursive), selfReport: Int(encoding.reportTypeOffsetSelfReport),
            clinicalDiagnosis: Int(encoding.reportTypeOffsetConfirmedClinicalDiagnosis),
            confirmedTest: Int(encoding.reportTypeOffsetConfirmedTest))
    }
}

extension KeyMapping {
    /// How the operating system reads keys by an app's configuration, as ``StaticMessage`` encodes it.
    /// - Throws: ``InvalidMessage`` if the bytes are no configuration of a system, or if the configuration breaks a rule.
    package init(configuration bytes: [UInt8], of message: StaticMessage) throws(InvalidMessage) {
        try message.review(encoded: bytes)
        switch message {
        case .applicationConfigurationIOS:
            guard let configuration = try? WireApplicationConfigurationIOS(serializedBytes: bytes) else { break }
            let mapping = configuration.exposureConfiguration
            // iOS has no value of its own for keys without days.
            self.init(
                mapping.infectiousnessForDaysSinceOnsetOfSymptoms, whenMissing: 0, mapping.reportTypeNoneMap)
            return
        case .applicationConfigurationAndroid:
            guard let configuration = try? WireApplicationConfigurationAndroid(serializedBytes: bytes) else { break }
            let mapping = configuration.diagnosisKeysDataMapping
            self.init(
                mapping.daysSinceOnsetToInfectiousness, whenMissing: mapping.infectiousnessWhenDaysSinceOnsetMissing,
                mapping.reportTypeWhenMissing)
            return
        default: break
        }
        throw InvalidMessage(["The message is no configuration with a mapping of keys."])
    }

    private init(_ infectiousness: [Int32: Int32], whenMissing: Int32, _ reportTypeWhenMissing: Int32) {
        self.init(
            infectiousness: infectiousness.compactMapValues { Infectiousness(rawValue: Int($0)) },
            infectiousnessWhenMissing: Infectiousness(rawValue: Int(whenMissing)),
            reportTypeWhenMissing: ReportType(rawValue: Int(reportTypeWhenMissing)) ?? .unknown)
    }
}

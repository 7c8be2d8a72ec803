import ExposureKeys
import Exposures
import Foundation
import SwiftProtobuf
import Testing

@testable import ExposureFormat

@Suite struct RiskRulesTests {
    private static func shipped(_ system: String) throws -> [UInt8] {
        let message: StaticMessage =
            system == "ios" ? .applicationConfigurationIOS : .applicationConfigurationAndroid
        return try message.encode(json: Fixtures.shipped("version/v2/app_config_\(system)"))
    }

    @Test func `the configurations of deploy/static have the rules and the mapping that apps are shipped with`() throws
    {
        let (iOS, android) = (try Self.shipped("ios"), try Self.shipped("android"))
        #expect(try RiskRules(configuration: iOS, of: .applicationConfigurationIOS) == .shipped)
        #expect(try RiskRules(configuration: android, of: .applicationConfigurationAndroid) == .shipped)
        #expect(try KeyMapping(configuration: android, of: .applicationConfigurationAndroid) == .shipped)
        // iOS is told nothing of keys without a report type.
        let mapping = try KeyMapping(configuration: iOS, of: .applicationConfigurationIOS)
        #expect(mapping.infectiousness == KeyMapping.shipped.infectiousness)
        #expect(mapping.infectiousnessWhenMissing == nil && mapping.reportTypeWhenMissing == .unknown)
    }

    @Test func `every rule is the configuration's`() throws {
        var message = try WireApplicationConfigurationAndroid(serializedBytes: Self.shipped("android"))
        func range(_ minimum: Double, _ maximum: Double) -> WireRange {
            .with { ($0.min, $0.max, $0.minExclusive) = (minimum, maximum, true) }
        }
        message.riskCalculationParameters = .with {
            $0.minutesAtAttenuationFilters = [
                .with { ($0.attenuationRange, $0.dropIfMinutesInRange) = (range(1, 2), range(3, 4)) }
            ]
            $0.trlFilters = [.with { $0.dropIfTrlInRange = range(5, 6) }]
            $0.minutesAtAttenuationWeights = [.with { ($0.attenuationRange, $0.weight) = (range(7, 8), 9) }]
            $0.normalizedTimePerEwtoRiskLevelMapping = [
                .with { ($0.normalizedTimeRange, $0.riskLevel) = (range(10, 11), .low) }
            ]
            $0.normalizedTimePerDayToRiskLevelMapping = [
                .with { ($0.normalizedTimeRange, $0.riskLevel) = (range(12, 13), .high) }
            ]
            $0.trlEncoding = .with {
                ($0.infectiousnessOffsetStandard, $0.infectiousnessOffsetHigh) = (14, 15)
                ($0.reportTypeOffsetRecursive, $0.reportTypeOffsetSelfReport) = (16, 17)
                ($0.reportTypeOffsetConfirmedClinicalDiagnosis, $0.reportTypeOffsetConfirmedTest) = (18, 19)
            }
            $0.transmissionRiskValueMapping = [
                .with { ($0.transmissionRiskLevel, $0.transmissionRiskValue) = (4, 2.5) }
            ]
            $0.maxEncounterAgeInDays = 7
        }
        message.diagnosisKeysDataMapping = .with {
            $0.daysSinceOnsetToInfectiousness = [-14: 0, 3: 1, 14: 2]
            $0.infectiousnessWhenDaysSinceOnsetMissing = 2
            $0.reportTypeWhenMissing = 3
        }
        let bytes: [UInt8] = try message.serializedBytes()
        func bounds(_ minimum: Double, _ maximum: Double) -> RiskRange {
            RiskRange(minimum...maximum, excludesMinimum: true)
        }
        #expect(
            try RiskRules(configuration: bytes, of: .applicationConfigurationAndroid)
                == RiskRules(
                    attenuationFilters: [
                        RiskRules.AttenuationFilter(attenuation: bounds(1, 2), droppedMinutes: bounds(3, 4))
                    ],
                    droppedLevels: [bounds(5, 6)],
                    attenuationWeights: [RiskRules.AttenuationWeight(attenuation: bounds(7, 8), weight: 9)],
                    perWindow: [RiskGrade(time: bounds(10, 11), level: .low)],
                    perDay: [RiskGrade(time: bounds(12, 13), level: .high)],
                    levelEncoding: RiskRules.LevelEncoding(
                        standard: 14, high: 15, recursive: 16, selfReport: 17, clinicalDiagnosis: 18,
                        confirmedTest: 19),
                    riskValues: [4: 2.5], maximumDays: 7))
        #expect(
            try KeyMapping(configuration: bytes, of: .applicationConfigurationAndroid)
                == KeyMapping(
                    infectiousness: [3: .standard, 14: .high], infectiousnessWhenMissing: .high,
                    reportTypeWhenMissing: .selfReport))
    }

    @Test func `another message, and bytes that are none, are refused`() throws {
        let bytes = try Self.shipped("ios")
        var message = try WireApplicationConfigurationIOS(serializedBytes: bytes)
        message.riskCalculationParameters.maxEncounterAgeInDays = 99
        let broken: [UInt8] = try message.serializedBytes()
        for (bytes, message) in [
            (bytes, StaticMessage.statistics), ([0xff], .applicationConfigurationIOS),
            (broken, .applicationConfigurationIOS), ([], .applicationConfiguration),
        ] {
            #expect(throws: InvalidMessage.self) { try RiskRules(configuration: bytes, of: message) }
            #expect(throws: InvalidMessage.self) { try KeyMapping(configuration: bytes, of: message) }
        }
    }
}

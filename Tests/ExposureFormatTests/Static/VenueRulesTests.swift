import ExposureKeys
import Foundation
import SwiftProtobuf
import Testing
import Venues

@testable import ExposureFormat

@Suite struct VenueRulesTests {
    private static func shipped(_ system: String) throws -> [UInt8] {
        let message: StaticMessage =
            system == "ios" ? .applicationConfigurationIOS : .applicationConfigurationAndroid
        return try message.encode(json: Fixtures.shipped("version/v2/app_config_\(system)"))
    }

    @Test func `the configurations of deploy/static have the rules that apps are shipped with`() throws {
        let rules = [
            try VenueRules(configuration: Self.shipped("ios"), of: .applicationConfigurationIOS),
            try VenueRules(configuration: Self.shipped("android"), of: .applicationConfigurationAndroid),
        ]
        #expect(rules == [.shipped, .shipped])
    }

    @Test func `every rule is the configuration's`() throws {
        var message = try WireApplicationConfigurationIOS(serializedBytes: Self.shipped("ios"))
        let low = WireNormalizedTimeToRiskLevelMapping.with {
            $0.normalizedTimeRange = .with { ($0.min, $0.max, $0.maxExclusive) = (1, 2, true) }
            $0.riskLevel = .low
        }
        message.presenceTracingParameters.riskCalculationParameters.normalizedTimePerCheckInToRiskLevelMapping = [low]
        message.presenceTracingParameters.riskCalculationParameters.normalizedTimePerDayToRiskLevelMapping = [low]
        message.presenceTracingParameters.riskCalculationParameters.maxCheckInAgeInDays = 7
        message.presenceTracingParameters.riskCalculationParameters.transmissionRiskValueMapping = [
            .with { ($0.transmissionRiskLevel, $0.transmissionRiskValue) = (4, 2.5) }
        ]
        message.presenceTracingParameters.submissionParameters.durationFilters = [
            .with { $0.dropIfMinutesInRange = .with { ($0.min, $0.minExclusive, $0.max) = (3, true, 4) } }
        ]
        message.presenceTracingParameters.submissionParameters.aerosoleDecayLinearFunctions = [
            .with {
                $0.minutesRange = .with { ($0.min, $0.max) = (5, 6) }
                ($0.slope, $0.intercept) = (0.5, 7)
            }
        ]
        let rules = try VenueRules(
            configuration: message.serializedBytes() as [UInt8], of: .applicationConfigurationIOS)
        let grade = VenueRules.Grade(time: VenueRules.Range(1...2, excludesMaximum: true), level: .low)
        let level = try #require(TransmissionRiskLevel(rawValue: 4))
        #expect(
            rules
                == VenueRules(
                    droppedMinutes: [VenueRules.Range(3...4, excludesMinimum: true)],
                    aerosolDecay: [VenueRules.AerosolDecay(minutes: VenueRules.Range(5...6), slope: 0.5, intercept: 7)],
                    riskValues: [level: 2.5], perCheckIn: [grade], perDay: [grade], maximumDays: 7))
        #expect(rules.value(of: .lowest) == 0)
    }

    @Test func `another message, and bytes that are none, are refused`() throws {
        let bytes = try Self.shipped("ios")
        #expect(throws: InvalidMessage.self) { try VenueRules(configuration: bytes, of: .statistics) }
        #expect(throws: InvalidMessage.self) { try VenueRules(configuration: [0xff], of: .applicationConfigurationIOS) }
        var message = try WireApplicationConfigurationIOS(serializedBytes: bytes)
        message.presenceTracingParameters.riskCalculationParameters.maxCheckInAgeInDays = 99
        let broken: [UInt8] = try message.serializedBytes()
        #expect(throws: InvalidMessage.self) {
            try VenueRules(configuration: broken, of: .applicationConfigurationIOS)
        }
    }
}

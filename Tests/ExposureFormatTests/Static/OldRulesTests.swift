import ExposureKeys
import Exposures
import Foundation
import SwiftProtobuf
import Testing

@testable import ExposureFormat

/// Rules of apps that judged exposures otherwise than Corona-Warn-App does today.
@Suite struct OldRulesTests {
    private static func shipped(_ path: String) throws -> [UInt8] {
        let message = try #require(StaticMessage(path: path))
        return try message.encode(json: Fixtures.shipped(path))
    }

    private static func levels(_ values: [Int]) throws -> ScoreRules.Levels { try #require(ScoreRules.Levels(values)) }

    // MARK: Scores

    /// cwa-server, main configuration of November 2020.
    @Test func `the first apps' configuration in deploy/static has the rules of their last months`() throws {
        let rules = try ScoreRules(
            configuration: Self.shipped("version/v1/configuration/country/DE/app_config"), of: .applicationConfiguration
        )
        let expected = ScoreRules(
            attenuation: try Self.levels([0, 2, 2, 2, 2, 2, 2, 2]),
            days: try Self.levels(Array(repeating: 5, count: 8)),
            duration: try Self.levels([0, 0, 0, 1, 1, 1, 1, 1]),
            transmission: try Self.levels([0, 0, 3, 4, 5, 6, 7, 8]), minimumScore: 11, lowerThreshold: 55,
            upperThreshold: 63, weights: ScoreRules.Weights(low: 1, middle: 0.5, high: 0), offset: 0, divisor: 50,
            highFrom: 15)
        #expect(rules == expected)
    }

    @Test func `every level and number of a score is the configuration's`() throws {
        let message = StaticMessage.applicationConfiguration
        let rules = try ScoreRules(
            configuration: message.encode(json: Fixtures.everyField(of: message)), of: message)
        let (up, down) = (try Self.levels(Array(1...8)), try Self.levels(Array((1...8).reversed())))
        #expect(
            rules
                == ScoreRules(
                    attenuation: up, days: up, duration: down, transmission: up, minimumScore: 11, lowerThreshold: 55,
                    upperThreshold: 63, weights: ScoreRules.Weights(low: 1, middle: 0.5, high: 0.25), offset: 1,
                    divisor: 50, highFrom: 15))
    }

    @Test func `a configuration without a class for high scores has no rules`() throws {
        var message = try WireApplicationConfiguration(
            serializedBytes: Self.shipped("version/v1/configuration/country/DE/app_config"))
        message.riskScoreClasses.riskClasses[1].label = "RED"
        let bytes: [UInt8] = try message.serializedBytes()
        #expect(throws: InvalidMessage.self) {
            try ScoreRules(configuration: bytes, of: .applicationConfiguration)
        }
    }

    // MARK: Daily summaries

    @Test func `the configuration for Android in deploy/static has the rules for daily summaries`() throws {
        let rules = try DailySummaryRules(
            configuration: Self.shipped("version/v2/app_config_android"), of: .applicationConfigurationAndroid)
        #expect(
            rules
                == DailySummaryRules(
                    thresholds: [30, 50, 70], weights: [1, 1, 1, 1],
                    reportTypes: [.confirmedTest: 1, .confirmedClinicalDiagnosis: 1, .selfReport: 1, .recursive: 1],
                    infectiousness: [.standard: 1, .high: 1], minimumWindowScore: 0, maximumDays: nil))
    }

    @Test func `every weight of a daily summary is the configuration's`() throws {
        var message = try WireApplicationConfigurationAndroid(
            serializedBytes: Self.shipped("version/v2/app_config_android"))
        message.dailySummariesConfig = .with {
            $0.attenuationBucketThresholdDb = [10, 20, 30]
            $0.attenuationBucketWeights = [2.5, 2, 1.5, 0.5]
            $0.daysSinceExposureThreshold = 9
            $0.infectiousnessWeights = [2: 1.25]
            $0.minimumWindowScore = 300
            $0.reportTypeWeights = [1: 0.75, 3: 0.25]
        }
        let bytes: [UInt8] = try message.serializedBytes()
        let rules = try DailySummaryRules(configuration: bytes, of: .applicationConfigurationAndroid)
        #expect(
            rules
                == DailySummaryRules(
                    thresholds: [10, 20, 30], weights: [2.5, 2, 1.5, 0.5],
                    reportTypes: [.confirmedTest: 0.75, .selfReport: 0.25], infectiousness: [.high: 1.25],
                    minimumWindowScore: 300, maximumDays: 9))
    }

    @Test func `another message, and bytes that are none, are refused`() throws {
        let android = try Self.shipped("version/v2/app_config_android")
        let first = try Self.shipped("version/v1/configuration/country/DE/app_config")
        for (bytes, message) in [
            (android, StaticMessage.applicationConfigurationAndroid), ([0xff], .applicationConfiguration),
            ([], .applicationConfiguration),
        ] {
            #expect(throws: InvalidMessage.self) { try ScoreRules(configuration: bytes, of: message) }
        }
        for (bytes, message) in [
            (first, StaticMessage.applicationConfiguration), ([0xff], .applicationConfigurationAndroid),
            (try Self.shipped("version/v2/app_config_ios"), .applicationConfigurationIOS),
        ] {
            #expect(throws: InvalidMessage.self) { try DailySummaryRules(configuration: bytes, of: message) }
        }
    }
}

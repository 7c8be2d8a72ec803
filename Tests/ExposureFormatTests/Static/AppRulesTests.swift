import ExposureKeys
import Exposures
import Foundation
import Testing
import Venues

@testable import ExposureFormat

@Suite struct AppRulesTests {
    private static func shipped(_ system: String) throws -> [UInt8] {
        let message: StaticMessage =
            system == "ios" ? .applicationConfigurationIOS : .applicationConfigurationAndroid
        return try message.encode(json: Fixtures.shipped("version/v2/app_config_\(system)"))
    }

    private static func kept(_ rules: AppRules) throws -> AppRules {
        try JSONDecoder().decode(AppRules.self, from: JSONEncoder().encode(rules))
    }

    @Test func `an app takes all its rules from the configuration`() throws {
        let android = try AppRules(
            configuration: Self.shipped("android"), of: .applicationConfigurationAndroid, region: "DE")
        #expect(android == .shipped)
        let bytes = try Self.shipped("ios")
        let iOS = try AppRules(configuration: bytes, of: .applicationConfigurationIOS, region: "DE")
        #expect(iOS.downloads == AppRules.shipped.downloads)
        #expect(iOS.risk == .shipped && iOS.venues == .shipped)
        #expect(try iOS.keys == KeyMapping(configuration: bytes, of: .applicationConfigurationIOS))
        #expect(throws: InvalidMessage.self) {
            try AppRules(configuration: bytes, of: .statistics, region: "DE")
        }
    }

    @Test func `all rules survive in JSON`() throws {
        #expect(try Self.kept(.shipped) == .shipped)
        let range = RiskRange(1...2.5, excludesMinimum: true)
        let other = RiskRange(0.1...0.3, excludesMaximum: true)
        let grades = [RiskGrade(time: range, level: .high), RiskGrade(time: other, level: .low)]
        let rules = AppRules(
            downloads: DownloadRules(
                revoked: [.init(day: Day(number: 20_600), hour: 3, etag: "\"a\"")], detectionsPerDay: 2),
            risk: RiskRules(
                attenuationFilters: [RiskRules.AttenuationFilter(attenuation: range, droppedMinutes: other)],
                droppedLevels: [range],
                attenuationWeights: [RiskRules.AttenuationWeight(attenuation: other, weight: 0.7)],
                perWindow: grades, perDay: grades.reversed(),
                levelEncoding: RiskRules.LevelEncoding(
                    standard: 1, high: 2, recursive: 3, selfReport: 4, clinicalDiagnosis: 5, confirmedTest: 6),
                riskValues: [1: 0.1, 8: 3], maximumDays: 4),
            keys: KeyMapping(
                infectiousness: [-14: .standard, 3: .high], infectiousnessWhenMissing: .standard,
                reportTypeWhenMissing: .selfReport),
            venues: VenueRules(
                droppedMinutes: [range],
                aerosolDecay: [VenueRules.AerosolDecay(minutes: other, slope: 0.5, intercept: 7)],
                riskValues: [.lowest: 0.25, .lowestPublished: 2], perCheckIn: grades, perDay: grades,
                maximumDays: 5))
        #expect(try Self.kept(rules) == rules)
        #expect(try Self.kept(rules) != .shipped)
    }
}

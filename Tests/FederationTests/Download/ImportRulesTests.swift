import ExposureKeys
import FederationFormat
import Foundation
import Testing

@testable import Federation

/// Which keys of other countries are imported.
@Suite struct ImportRulesTests {
    private func refusal(_ key: FederatedKey, countries: Set<CountryCode>? = nil) throws -> ImportRules.Refusal? {
        let rules = try ImportRules.usual(countries: countries)
        do {
            _ = try rules.foreignKey(key, at: FederationStage.now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a good key is stored with its origin, its countries and a level from the days since onset`() throws {
        let key = try Sample.foreignKey(seed: 1, onset: 1, visited: ["NL", "DE", "NL"])
        let stored = try ImportRules.usual().foreignKey(key, at: FederationStage.now)
        #expect(stored.key.data == key.data)
        #expect(stored.origin == (try .france))
        #expect(stored.visited == "DENL")
        let onset = try #require(DaysSinceOnset(rawValue: 1))
        #expect(stored.key.transmissionRiskLevel == TransmissionRiskLevel(derivedFrom: onset))
    }

    @Test func `periods are rounded to whole hours, as those of home keys`() throws {
        let key = try Sample.foreignKey(seed: 1, period: 100)
        #expect(try ImportRules.usual().foreignKey(key, at: FederationStage.now).key.rollingPeriod.length == 102)
    }

    @Test func `what breaks a rule is refused with its reason`() throws {
        #expect(try refusal(Sample.foreignKey(seed: 1)) == nil)
        #expect(try refusal(Sample.foreignKey(seed: 1, origin: "DE")) == .homeOrigin)
        #expect(try refusal(Sample.foreignKey(seed: 1, origin: "NL"), countries: [.france]) == .country)
        #expect(try refusal(Sample.foreignKey(seed: 1), countries: [.france]) == nil)
        for type in [ReportType.unknown, .selfReport, .recursive, .revoked] {
            #expect(try refusal(Sample.foreignKey(seed: 1, type: type)) == .reportType)
        }
        #expect(try refusal(Sample.foreignKey(seed: 1, type: .confirmedClinicalDiagnosis)) == nil)
        #expect(try refusal(Sample.foreignKey(seed: 1, start: 6, period: 100)) == .unaligned)
        #expect(try refusal(Sample.foreignKey(seed: 1, daysAgo: 0)) == nil)
        #expect(try refusal(Sample.foreignKey(seed: 1, daysAgo: -1)) == .age)
        #expect(try refusal(Sample.foreignKey(seed: 1, daysAgo: 14)) == nil)
        #expect(try refusal(Sample.foreignKey(seed: 1, daysAgo: 14, period: 6)) == .age)
        #expect(try refusal(Sample.foreignKey(seed: 1, daysAgo: 15)) == .age)
        #expect(try refusal(Sample.foreignKey(seed: 1, onset: 50)) == .onset)
        #expect(try refusal(Sample.foreignKey(seed: 1, onset: 14)) == .level)
    }
}

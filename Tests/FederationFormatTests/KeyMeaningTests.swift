import ExposureKeys
import FederationFormat
import TestSupport
import Testing

/// Classes of days, countries, and the way of a key between home and abroad.
@Suite struct KeyMeaningTests {
    @Test(
        arguments: [
            (-14, .known(day: -14)), (0, .known(day: 0)), (21, .known(day: 21)),
            (86, .interval(days: 1, offset: -14)), (121, .interval(days: 1, offset: 21)),
            (405, .interval(days: 4, offset: 5)), (1886, .interval(days: 19, offset: -14)),
            (1921, .interval(days: 19, offset: 21)), (1986, .unknownOnset(offset: -14)),
            (2014, .unknownOnset(offset: 14)),
            (2986, .asymptomatic(offset: -14)), (3000, .asymptomatic(offset: 0)), (3014, .asymptomatic(offset: 14)),
            (3986, .unknownStatus(offset: -14)), (4014, .unknownStatus(offset: 14)),
        ] as [(Int32, OnsetClass)])
    func `a number is in its class`(_ number: Int32, _ expected: OnsetClass) {
        #expect(OnsetClass(number) == expected)
    }

    @Test(arguments: [
        Int32.min, -15, 22, 85, 122, 185, 1922, 1985, 2015, 2100, 2985, 3015, 3500, 3985, 4015, 5000, .max,
    ])
    func `other numbers are in none`(_ number: Int32) {
        #expect(OnsetClass(number) == nil)
    }

    @Test func `what is emitted is in the same class, and read by everybody`() throws {
        for number in Int32(-14)...4014 {
            guard let read = OnsetClass(number) else { continue }
            let again = try #require(OnsetClass(read.coarse))
            #expect(again.coarse == read.coarse)
            #expect((-14...14).contains(read.coarse) || (-14...0).contains((read.coarse + 50) % 100 - 50))
            #expect(DaysSinceOnset(rawValue: read.coarse) != nil)
            switch (read, again) {
            case (.known, .known), (.unknownOnset, .unknownOnset), (.asymptomatic, .asymptomatic),
                (.unknownStatus, .unknownStatus):
                break
            case (.interval(let days, _), .interval(let same, _)): #expect(days == same)
            default: Issue.record("\(number)")
            }
        }
    }

    @Test(arguments: ["", "D", "DEU", "de", "D1", "Ä", "D\u{301}E", "D ", "\u{212A}R"])
    func `a country has two capital letters`(_ text: String) {
        #expect(CountryCode(text) == nil)
        #expect(CountryCode("DE")?.text == "DE")
    }

    private static func home(level: Int, type: ReportType = .selfReport, days: Int32 = -3) throws -> DiagnosisKey {
        DiagnosisKey(
            data: KeyData(high: 1, low: 2),
            rollingPeriod: try #require(RollingPeriod(start: IntervalNumber(rawValue: 2_960_064), length: 144)),
            transmissionRiskLevel: try #require(TransmissionRiskLevel(rawValue: level)),
            daysSinceOnsetOfSymptoms: try #require(DaysSinceOnset(rawValue: days)), reportType: type)
    }

    @Test(arguments: zip(2...8, [2, 3, 4, 5, 6, 7, 7]))
    func `an importer derives the level that the national export shows`(_ level: Int, _ derived: Int) throws {
        let (home, origin) = (try Self.home(level: level), try #require(CountryCode("DE")))
        let shared = try #require(FederatedKey(sharing: home, from: origin, with: Sample.countries))
        #expect(try #require(shared.imported).transmissionRiskLevel.rawValue == derived)
        #expect(shared.riskLevel == .unset)
        #expect(shared.visitedCountries == Sample.countries)
        // Nothing else that the person said leaves the country.
        let other = try Self.home(level: level, type: .confirmedClinicalDiagnosis, days: 1995)
        #expect(FederatedKey(sharing: other, from: origin, with: Sample.countries) == shared)
    }

    @Test(
        arguments: [
            (0, 8, 0), (-4, 4, -4), (14, 1, 14), (403, 3, 403), (405, 1, 405), (1997, 8, 1997), (3000, 4, 3000),
            (3996, 7, 3996),
            (4003, 1, 4000), (4014, 1, 4000),
        ] as [(Int32, Int, Int32)])
    func `a foreign key's level comes from its days`(_ days: Int32, _ level: Int, _ stored: Int32) throws {
        var key = Sample.unchecked
        key.daysSinceOnset = days
        key.riskLevel = 2
        key.reportType = 2
        let imported = try #require(FederatedKey(key).imported)
        #expect(imported.transmissionRiskLevel.rawValue == level)
        #expect(imported.daysSinceOnsetOfSymptoms.rawValue == stored)
        #expect(imported.reportType == .confirmedTest)
    }

    @Test func `a foreign key whose days mean nothing isn't imported`() throws {
        var key = Sample.unchecked
        for days in [Int32.min, 50, 2500, 9999] {
            key.daysSinceOnset = days
            #expect(try FederatedKey(key).imported == nil)
        }
    }
}

import ExposureKeys
import Foundation
import Testing

@testable import CountryModel

struct EpidemicTests {
    /// A country in which nobody stays at home.
    private static func unconstrained(seed: UInt64) async -> Country {
        var country = Country(
            CountryStage.parameters(population: 8_000, seed: seed) {
                $0.disease.firstCases = 40
                $0.disease.firstCasesDays = 0
                $0.disease.importedPerDay = 0
                $0.behaviour.complianceOfPositive = 0
            })
        await CountryStage.live(&country, days: 20)
        return country
    }

    /// Days in which infections double, by a line through the logarithms of the numbers of days.
    private static func doublingDays(_ country: Country, in days: Range<Int>) -> Double {
        let points = days.map { day in
            (x: Double(day), y: log(Double(max(1, country.statistics.days[day].allInfections))))
        }
        let (x, y) = (Moments(points.map(\.x)), Moments(points.map(\.y)))
        let products = points.map { ($0.x - x.mean) * ($0.y - y.mean) }.reduce(0, +) / Double(points.count)
        return log(2) / (products / (x.deviation * x.deviation))
    }

    @Test(
        "without measures infections double about every three days, within the published range",
        arguments: [1, 2, 3] as [UInt64])
    func growth(seed: UInt64) async throws {
        let country = await Self.unconstrained(seed: seed)
        // 2.2 to 4.3 days: Pellis and others, "Challenges in control of COVID-19", 2021.
        let days = Self.doublingDays(country, in: 6..<18)
        #expect((2.2...4.3).contains(days), "\(days) days")
        // 2 to 4 for a doubling in three days and a mean generation time of 5.5 days.
        let first = CountryStage.start...CountryStage.start.advanced(by: 6)
        let reproduction = try #require(country.truth.reproduction(ofInfectedOn: first))
        #expect((1.8...4.2).contains(reproduction), "\(reproduction)")
        Self.expectOrder(in: country)
    }

    /// Everybody is infected once, by somebody who was infected before and hadn't recovered.
    private static func expectOrder(in country: Country) {
        let infections = country.truth.infections
        #expect(Set(infections.map(\.person)).count == infections.count)
        for infection in infections {
            guard let by = infection.by else { continue }
            let source = country.truth.infection(of: by)
            #expect(source.map { $0.at < infection.at && infection.at < $0.recovery } == true)
        }
        // Symptoms have two causes, so there are more onsets than infections with symptoms.
        let onsets = country.statistics.total(\.onsets)
        #expect(onsets > Int(8_000 * 20 * 0.002 * 0.9))
        for place in Place.allCases {
            #expect(country.statistics.total { $0.infections[place] ?? 0 } > 0, "\(place)")
        }
    }

    @Test("without infectiousness nobody but the first cases is infected")
    func control() async {
        var country = Country(
            CountryStage.parameters {
                $0.disease.infectiousRate = 0
                $0.disease.importedPerDay = 0
            })
        await CountryStage.live(&country, days: 10)
        #expect(country.truth.infections.allSatisfy { $0.by == nil })
        #expect(country.truth.infections.count <= 20)
    }
}

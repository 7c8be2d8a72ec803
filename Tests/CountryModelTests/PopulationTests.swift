import Testing

@testable import CountryModel

struct PopulationTests {
    private let parameters = CountryStage.parameters(population: 20_000)
    private var population: Population { Population(parameters) }

    @Test("the app has the wanted share, and the young and the old have it less", arguments: [0.1, 0.35, 0.6])
    func adoption(share: Double) {
        var parameters = parameters
        parameters.people.appShare = share
        let people = Population(parameters).people
        func users(aged decade: UInt8) -> Double {
            let all = people.filter { $0.age.rawValue == decade }
            return Double(all.count { $0.phone != nil }) / Double(all.count)
        }
        #expect(abs(Double(people.count { $0.phone != nil }) / Double(people.count) - share) < 0.015)
        #expect(users(aged: 2) > 2 * users(aged: 8))
        #expect(users(aged: 2) > 5 * users(aged: 0) || share > 0.5)
    }

    @Test("a larger share of users adds some and takes none away; nobody else changes")
    func nested() {
        var more = parameters
        more.people.appShare = 0.6
        let pairs = Array(zip(population.people, Population(more).people))
        #expect(pairs.allSatisfy { $0.phone == nil || $1.phone != nil })
        #expect(pairs.allSatisfy { $0.age == $1.age && $0.household == $1.household })
        #expect(pairs.contains { $0.phone == nil && $1.phone != nil })
    }
}

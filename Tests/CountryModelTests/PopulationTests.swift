import Testing

@testable import CountryModel

struct PopulationTests {
    private let parameters = CountryStage.parameters(population: 20_000)
    private var population: Population { Population(parameters) }

    @Test("ages have the published shares")
    func ages() {
        let people = population.people
        let total = parameters.people.ages.reduce(0, +)
        for (decade, weight) in parameters.people.ages.enumerated() {
            let share = Double(people.count { $0.age.rawValue == UInt8(decade) }) / Double(people.count)
            #expect(abs(share - weight / total) < 0.012, "decade \(decade)")
        }
    }

    @Test("households have the published sizes, consecutive members, and an adult each")
    func households() {
        let population = population
        let total = parameters.people.householdSizes.reduce(0, +)
        // The last one may be cut off.
        let households = population.households.dropLast()
        for (place, weight) in parameters.people.householdSizes.enumerated() {
            let share = Double(households.count { $0.count == place + 1 }) / Double(households.count)
            #expect(abs(share - weight / total) < 0.02, "size \(place + 1)")
        }
        #expect(population.households.flatMap { $0 } == Array(0..<20_000))
        #expect(households.allSatisfy { members in members.contains { population.people[$0].age.group != .child } })
    }

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

    @Test("phones have the shares of systems and networks, and errors only if they aren't calibrated")
    func phones() {
        let phones = population.people.compactMap(\.phone)
        func share(_ property: (PhoneClass) -> Bool) -> Double {
            Double(phones.count(where: property)) / Double(phones.count)
        }
        #expect(abs(share { $0.system == .android } - 0.6) < 0.03)
        #expect(abs(share { $0.network == .wiFiAllDay } - 0.4) < 0.03)
        #expect(abs(share { $0.network == .metered } - 0.2) < 0.03)
        #expect(abs(share { $0.checksIn } - 0.3) < 0.03)
        #expect(abs(share { $0.hasFurther } - 0.5) < 0.03)
        #expect(phones.allSatisfy { ($0.calibrationConfidence == 3) == ($0.calibrationError == 0) })
        let errors = phones.filter { $0.calibrationConfidence == 0 }.map(\.calibrationError)
        #expect(Moments(errors).deviation.isNear(4, within: 0.06))
        #expect(Set(phones.map(\.phase)).count == 60)
    }
}

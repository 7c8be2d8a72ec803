import ExposureKeys
import Testing

@testable import CountryModel

struct ContactTests {
    private static let parameters = CountryStage.parameters(population: 10_000)
    private static let population = Population(parameters)
    private static let plan = ContactPlan(population, parameters)
    private static let contacts = plan.contacts(on: CountryStage.start, visits: [])

    @Test("daily contacts by age and place have the published means")
    func means() {
        var counts: [AgeGroup: [Place: Double]] = [:]
        for contact in Self.contacts.joined() {
            for person in [contact.first, contact.second] {
                counts[Self.population.people[person.index].age.group, default: [:]][contact.place, default: 0] += 1
            }
        }
        for group in AgeGroup.allCases {
            let people = Double(Self.population.people.count { $0.age.group == group })
            func mean(_ place: Place) -> Double { (counts[group]?[place] ?? 0) / people }
            let random = Self.parameters.contacts.random[group.rawValue]
            #expect(mean(.random).isNear(random, within: 0.12), "\(group)")
            // Adults who help in schools have the contacts of pupils there.
            let network = Self.parameters.contacts.network[group.rawValue]
            #expect(mean(.work).isNear(network, within: 0.15), "\(group)")
        }
        let home = Self.contacts.joined().count { $0.place == .home }
        #expect(home == Self.population.households.reduce(0) { $0 + $1.count * ($1.count - 1) / 2 })
    }

    @Test("guests of a venue meet while both are there")
    func venues() {
        let parameters = CountryStage.parameters(population: 5000)
        let visits = VisitPlan(parameters, venues: 50).visits(on: CountryStage.start)
        #expect((Double(visits.count) / 5000).isNear(0.25, within: 0.1))
        let met = ContactPlan(Population(parameters), parameters).contacts(on: CountryStage.start, visits: visits)
            .joined().filter { $0.place == .venue }
        #expect(met.count > visits.count / 2)
        for contact in met {
            let pair = visits.filter { $0.person == contact.first || $0.person == contact.second }
            #expect(pair.count == 2 && pair[0].venue == pair[1].venue)
            #expect(pair.allSatisfy { $0.start <= contact.start && contact.end <= $0.end })
        }
    }
}

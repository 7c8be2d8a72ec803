import ExposureKeys
import Testing

@testable import CountryModel

struct ContactTests {
    private static let parameters = CountryStage.parameters(population: 10_000)
    private static let population = Population(parameters)
    private static let plan = ContactPlan(population, parameters)
    private static let contacts = plan.contacts(on: CountryStage.start, visits: [])

    @Test("a contact takes 16 bytes")
    func size() {
        #expect(MemoryLayout<Contact>.stride == 16)
    }

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

    @Test("distances and durations have the published means, and contacts stand in the hours in which they begin")
    func shapes() {
        let outside = Self.contacts.joined().filter { $0.place != .home }
        #expect(Moments(outside.map(\.metres)).mean.isNear(2.79, within: 0.03))
        #expect(Moments(outside.map { Double($0.minutes) }).mean.isNear(13.8, within: 0.06))
        for (hour, contacts) in Self.contacts.enumerated() {
            #expect(contacts.allSatisfy { $0.start.hour == CountryStage.start.firstHour.advanced(by: hour) })
        }
        #expect(Self.contacts.joined().allSatisfy { $0.first < $0.second })
        // Work from 8 to 16, the rest of the day until 21, households from 16 to 20 o'clock; as many in each minute.
        for (place, hours) in [(Place.work, 8..<16), (.random, 8..<21), (.home, 16..<20)] {
            let minutes = Self.contacts.joined().filter { $0.place == place }.map { Double($0.start.ofDay) }
            let moments = Moments(minutes)
            #expect(abs(moments.mean - Double(hours.lowerBound + hours.upperBound) * 30) < 8, "\(place)")
            #expect(moments.deviation.isNear(Double(hours.count) * 60 / 12.0.squareRoot(), within: 0.03), "\(place)")
            #expect(minutes.allSatisfy { hours.contains(Int($0) / 60) })
        }
    }

    @Test("links at work meet again and again; random ones don't")
    func repetition() {
        let later = Self.plan.contacts(on: CountryStage.start.advanced(by: 1), visits: [])
        func pairs(_ contacts: [[Contact]], _ place: Place) -> Set<[PersonID]> {
            Set(contacts.joined().filter { $0.place == place }.map { [$0.first, $0.second] })
        }
        func again(_ place: Place) -> Double {
            let first = pairs(Self.contacts, place)
            return Double(first.intersection(pairs(later, place)).count) / Double(first.count)
        }
        #expect(again(.home) == 1)
        #expect(abs(again(.work) - 0.5) < 0.03)
        #expect(again(.random) < 0.01)
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

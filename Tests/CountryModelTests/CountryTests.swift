import ExposureKeys
import Testing

@testable import CountryModel

struct CountryTests {
    /// What a driver sees of a country, in one number for each hour.
    private static func digests(_ parameters: CountryParameters, days: Int) async -> [Int] {
        var country = Country(parameters)
        var digests: [Int] = []
        await CountryStage.live(&country, days: days) { _, events in
            // Within one process a hasher gives the same for the same.
            var hasher = Hasher()
            hasher.combine(events.contacts)
            hasher.combine(events.checkIns)
            hasher.combine(events.swabs.map { [$0.test.rawValue, $0.person.rawValue, $0.at.rawValue] })
            hasher.combine(events.results.map { [$0.test.rawValue, $0.at.rawValue, $0.isPositive ? 1 : 0] })
            hasher.combine(events.registrations.map(\.sharing))
            hasher.combine(events.calls.map(\.sharing))
            digests.append(hasher.finalize())
        }
        return digests
    }

    @Test("the same seed gives the same hours, another seed gives others")
    func determinism() async {
        let parameters = CountryStage.parameters()
        let digests = await Self.digests(parameters, days: 6)
        let again = await Self.digests(parameters, days: 6)
        #expect(digests == again)
        let others = await Self.digests(CountryStage.parameters(seed: 8), days: 6)
        // Hours at night may be empty in both.
        #expect(zip(digests, others).count { $0 != $1 } > 80)
    }

    @Test("an app without warnings changes nobody's health")
    func baseline() async {
        func infections(appShare: Double) async -> [PersonID] {
            var country = Country(
                CountryStage.parameters {
                    $0.people.appShare = appShare
                    $0.disease.firstCases = 100
                })
            await CountryStage.live(&country, days: 8)
            return country.truth.infections.map(\.person)
        }
        let without = await infections(appShare: 0)
        #expect(without.count > 150)
        let with = await infections(appShare: 0.6)
        #expect(without == with)
    }

    @Test("an hour's contacts and check-ins begin in it, are between users, and the truth has them for fourteen days")
    func truth() async throws {
        var country = Country(CountryStage.parameters(population: 1000) { $0.people.appShare = 0.6 })
        var all: [Contact] = []
        var checkIns: [Visit] = []
        await CountryStage.live(&country, days: 17) { country, events in
            for contact in events.contacts {
                #expect(contact.start.hour == events.hour)
                #expect(country.people[contact.first.index].phone != nil)
                #expect(country.people[contact.second.index].phone != nil)
            }
            for visit in events.checkIns {
                #expect(visit.start.hour == events.hour && country.venues[visit.venue.index].hasCode)
                #expect(country.people[visit.person.index].phone?.checksIn == true)
            }
            all += events.contacts
            checkIns += events.checkIns
        }
        let truth = country.truth
        let last = CountryStage.start.advanced(by: 16)
        for user in country.users.prefix(100) {
            let expected = all.filter { contact in
                contact.other(than: user) != nil && last.advanced(by: -14) <= contact.start.day
            }
            #expect(truth.contacts(of: user, from: CountryStage.start, through: last) == expected)
            let meetings = truth.meetings(of: user, from: CountryStage.start, through: last)
            #expect(meetings.map(\.minutes).reduce(0, +) == expected.map(\.minutes).reduce(0, +))
            #expect(
                meetings.count == Set(expected.map { [Int($0.start.day.number), $0.other(than: user)?.index] }).count)
        }
        #expect(
            !checkIns.isEmpty
                && truth.meetings(of: country.users[0], from: last, through: last).allSatisfy { $0.day == last })
    }

    @Test("a handful of people live too, also without contacts outside the home", arguments: [1, 2, 7, 150])
    func small(population: Int) async {
        var country = Country(
            CountryStage.parameters(population: population) {
                $0.people.appShare = 1
                $0.contacts.network = [0, 0, 0]
                $0.contacts.random = [0, 0, 0]
                $0.venues.dailyVisits = 0
            })
        var places: Set<Place> = []
        await CountryStage.live(&country, days: 2) { _, events in places.formUnion(events.contacts.map(\.place)) }
        #expect(country.users.count == population)
        #expect(places.isSubset(of: [.home]))
    }

    @Test("figures add up")
    func statistics() async {
        var country = Country(CountryStage.parameters { $0.disease.firstCases = 100 })
        var contacts = 0
        await CountryStage.live(&country, days: 8) { _, events in contacts += events.contacts.count }
        let statistics = country.statistics
        #expect(statistics.days.count == 8)
        #expect(statistics.total(\.allInfections) == country.truth.infections.count)
        #expect(statistics.total(\.userContacts) == contacts)
        #expect(statistics.total(\.closeContacts) < statistics.total(\.contacts) / 3)
        #expect(statistics.total(\.closeUserContacts) > 0)
        let perPerson = Double(statistics.total(\.contacts)) * 2 / 2000 / 8
        #expect((10.0...15).contains(perPerson))
    }
}

import ExposureKeys
import Testing

@testable import CountryModel

struct WarningTests {
    /// Lives ten days, and warns users once on the second day.
    private static func country(
        _ colour: WarningColour?, _ change: (inout CountryParameters) -> Void = { _ in }
    ) async -> (country: Country, contacts: Set<Contact>) {
        var country = Country(CountryStage.parameters(change))
        var contacts: Set<Contact> = []
        await CountryStage.live(&country, days: 10) { country, events in
            contacts.formUnion(events.contacts)
            guard let colour, events.hour == CountryStage.start.advanced(by: 1).firstHour else { return }
            for user in country.users { country.warned(user, at: Minute(1445, of: CountryStage.start), colour: colour) }
        }
        return (country, contacts)
    }

    @Test("a red warning keeps about half of the users at home, and takes contacts away without adding one")
    func red() async {
        // Nobody stays at home because of a positive test, whose time could depend on the warning.
        let without = await Self.country(nil) { $0.behaviour.complianceOfPositive = 0 }
        let with = await Self.country(.red) { $0.behaviour.complianceOfPositive = 0 }
        let users = with.country.users
        let noon = Minute(720, of: CountryStage.start.advanced(by: 2))
        let atHome = users.filter { with.country.truth.isIsolated($0, at: noon) }
        #expect(abs(Double(atHome.count) / Double(users.count) - 0.5) < 0.06)
        let added = with.contacts.subtracting(without.contacts).count
        #expect(added == 0)
        #expect(with.contacts.count < without.contacts.count * 3 / 4)
        // Households go on meeting, whoever stays at home.
        func home(_ contacts: Set<Contact>) -> Set<Contact> { contacts.filter { $0.place == .home } }
        let differences = home(with.contacts).symmetricDifference(home(without.contacts)).count
        #expect(differences == 0)
        let isolated = Set(atHome)
        let outside = with.contacts.filter { contact in
            contact.place != .home && contact.start.day == noon.day
                && (isolated.contains(contact.first) || isolated.contains(contact.second))
        }
        #expect(outside.count == 0)
        #expect(with.country.statistics.total(\.redWarnings) == users.count)
        #expect(with.country.statistics.total(\.isolated) > 3 * users.count)
    }

    @Test("a green warning changes nothing but its count")
    func green() async {
        let without = await Self.country(nil)
        let with = await Self.country(.green)
        let differences = with.contacts.symmetricDifference(without.contacts).count
        #expect(differences == 0)
        #expect(with.country.tests.count == without.country.tests.count)
        #expect(with.country.statistics.total(\.greenWarnings) == with.country.users.count)
        #expect(with.country.statistics.total(\.isolated) == without.country.statistics.total(\.isolated))
    }

    @Test("repeats and people without app are ignored")
    func repeats() throws {
        var country = Country(CountryStage.parameters())
        let user = try #require(country.users.first)
        let other = try #require(country.people.first { $0.phone == nil })
        let now = Minute(0, of: CountryStage.start)
        for minutes in [0, 60, 13 * 1440] {
            country.warned(user, at: now.advanced(by: minutes), colour: .red)
            country.warned(other.id, at: now.advanced(by: minutes), colour: .red)
        }
        #expect(country.statistics.total(\.redWarnings) == 1)
        country.warned(user, at: now.advanced(by: 14 * 1440), colour: .red)
        #expect(country.statistics.total(\.redWarnings) == 2)
    }
}

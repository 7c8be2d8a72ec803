import CountryModel
import Foundation

/// The people of a country who have the Further app, and what happens to them.
struct FurtherUsers: Sendable {
    private let users: [PersonID: FurtherUser]

    /// - Parameter people: those with a phone, of whom the model has given some the app.
    init(among people: some Sequence<Person>, services: CitizenServices) {
        let users = people.compactMap { person in
            person.phone.flatMap { $0.hasFurther ? FurtherUser(person.id, device: $0, services: services) : nil }
        }
        self.users = Dictionary(uniqueKeysWithValues: users.map { ($0.person, $0) })
    }

    /// Those whose apps wake in a quarter of an hour.
    func awake(in slot: Int) -> [FurtherUser] { users.values.filter { $0.slot == slot } }

    /// Lets phones hear each other and people learn their results, after the apps have woken. The id with which a contact begins is
    /// heard.
    func live(
        through events: HourEvents, in time: Range<Date>, seenBy oracle: inout FurtherOracle
    ) async {
        for contact in events.contacts where time.contains(contact.start.date) {
            guard let first = users[contact.first], let second = users[contact.second] else { continue }
            for (listener, sender) in [(first, second), (second, first)] {
                guard let id = await sender.broadcast(at: contact.start.date) else { continue }
                await listener.hear(id, during: contact)
                let met = FurtherOracle.Met(
                    owner: sender.person, isOfDay: sender.hasDailyIDs, at: contact.start.date)
                oracle.heard(id, met, by: listener.person)
            }
        }
        let results =
            events.results.map { ($0.person, $0.isPositive, $0.at.date) }
            + events.calls.map { ($0.person, true, $0.at.date) }
        for (person, isPositive, instant) in results where time.contains(instant) {
            guard let user = users[person] else { continue }
            await user.learn(isPositive, at: instant)
            if isPositive { oracle.learnedPositive(person, at: instant) }
        }
    }
}

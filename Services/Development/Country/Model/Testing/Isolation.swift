import ExposureKeys
import Glibc

/// Who stays at home. People at home meet nobody but their household.
struct Isolation: Sendable {
    private let seed: UInt64
    private let behaviour: BehaviourParameters
    /// Each person's last stay at home, from the first minute to the one at which the person goes out again; 0 to 0 if there was none.
    private var stays: [(begin: UInt32, end: UInt32)]

    init(_ parameters: CountryParameters) {
        seed = parameters.seed
        behaviour = parameters.behaviour
        stays = [(begin: UInt32, end: UInt32)](repeating: (0, 0), count: parameters.population)
    }

    /// Whether a person stays at home; known for the last stay only.
    func contains(_ person: PersonID, at minute: Minute) -> Bool {
        let stay = stays[person.index]
        return stay.begin <= minute.rawValue && minute.rawValue < stay.end
    }

    /// Whether a contact doesn't take place.
    func prevents(_ contact: Contact) -> Bool {
        guard contact.place != .home else { return false }
        return contains(contact.first, at: contact.start) || contains(contact.second, at: contact.start)
    }

    /// How many people stay at home.
    func count(at minute: Minute) -> Int {
        stays.count { $0.begin <= minute.rawValue && minute.rawValue < $0.end }
    }

    /// A person learns something; some stay at home, most of these to the end.
    mutating func begin(_ person: PersonID, at minute: Minute, becauseOf reason: Reason) {
        var random = RandomStream(
            seed, .isolation, UInt64(person.rawValue) * 2 + reason.rawValue, day: minute.day.number)
        let compliance = reason == .positive ? behaviour.complianceOfPositive : behaviour.complianceOfWarned
        guard random.chance(compliance) else { return }
        let dropout = reason == .positive ? behaviour.dailyDropout.positive : behaviour.dailyDropout.warned
        // How many days until the person gives up.
        let days =
            dropout > 0 ? min(log(random.unit()) / log(1 - dropout), Double(behaviour.quarantineDays)) : .infinity
        let end = minute.advanced(byDays: min(days.rounded(.down), Double(behaviour.quarantineDays)))
        let last = stays[person.index]
        stays[person.index] =
            last.end < minute.rawValue ? (minute.rawValue, end.rawValue) : (last.begin, max(last.end, end.rawValue))
    }

    /// What somebody learns.
    enum Reason: UInt64 { case positive, warned }
}

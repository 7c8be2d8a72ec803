import ExposureKeys

/// The contacts between users in the last fourteen days and today: what phones can have heard.
struct Diary: Sendable {
    private let population: Int
    private var past: [Page] = []
    private var today: (day: Day, contacts: [Contact])

    /// Days kept besides today.
    static let daysKept = 14

    init(population: Int, from day: Day) {
        self.population = population
        today = (day, [])
    }

    mutating func append(_ contacts: [Contact]) { today.contacts += contacts }

    /// Ends the day: indexes it, and forgets what is too old.
    mutating func turn(to day: Day) {
        past.append(Page(today.day, today.contacts, population: population))
        past.removeAll { $0.day < day.advanced(by: -Self.daysKept) }
        today = (day, [])
    }

    /// A person's contacts that began on some days, in the order of days; within a day in the order of hours.
    func contacts(of person: PersonID, from: Day, through: Day) -> [Contact] {
        let earlier = past.filter { from <= $0.day && $0.day <= through }.flatMap { $0.contacts(of: person) }
        guard from <= today.day, today.day <= through else { return earlier }
        return earlier + today.contacts.filter { $0.first == person || $0.second == person }
    }

    /// A day's contacts, with the places at which each person's stand.
    private struct Page: Sendable {
        let day: Day
        private let contacts: [Contact]
        /// Where each person's part of ``entries`` begins, and one more: its end.
        private let starts: [UInt32]
        private let entries: [UInt32]

        init(_ day: Day, _ contacts: [Contact], population: Int) {
            self.day = day
            self.contacts = contacts
            var starts = [UInt32](repeating: 0, count: population + 2)
            // Counted two places further on, so that after the second pass each start stands in its place.
            for contact in contacts {
                starts[contact.first.index + 2] += 1
                starts[contact.second.index + 2] += 1
            }
            for place in starts.indices.dropFirst() { starts[place] += starts[place - 1] }
            var entries = [UInt32](repeating: 0, count: contacts.count * 2)
            for (number, contact) in contacts.enumerated() {
                for person in [contact.first.index, contact.second.index] {
                    entries[Int(starts[person + 1])] = UInt32(number)
                    starts[person + 1] += 1
                }
            }
            self.starts = starts
            self.entries = entries
        }

        func contacts(of person: PersonID) -> [Contact] {
            entries[Int(starts[person.index])..<Int(starts[person.index + 1])].map { contacts[Int($0)] }
        }
    }
}

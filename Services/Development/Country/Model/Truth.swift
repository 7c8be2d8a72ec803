package import ExposureKeys

/// What really happened, which no phone and no service knows: an oracle for what they conclude.
package struct Truth: Sendable {
    private let country: Country

    fileprivate init(_ country: Country) {
        self.country = country
    }

    /// A user's contacts with users that began on some of the last fourteen days or today, and that nobody's staying at home prevented.
    package func contacts(of person: PersonID, from: Day, through: Day) -> [Contact] {
        country.diary.contacts(of: person, from: from, through: through)
    }

    /// The same, by other user and day, in the order of days and numbers.
    package func meetings(of person: PersonID, from: Day, through: Day) -> [Meeting] {
        var meetings: [Meeting.Key: Meeting] = [:]
        for contact in contacts(of: person, from: from, through: through) {
            guard let other = contact.other(than: person) else { continue }
            let key = Meeting.Key(day: contact.start.day, other: other)
            meetings[key, default: Meeting(key)].add(contact)
        }
        return meetings.values.sorted { ($0.day, $0.other) < ($1.day, $1.other) }
    }

    /// Whether, when and by whom a person was infected.
    package func infection(of person: PersonID) -> Infection? { country.epidemic.infection(of: person) }

    /// Everybody who was infected, in the order of hours.
    package var infections: [Infection] { country.epidemic.infections }

    /// Whether a person stays at home; known for the person's last stay only.
    package func isIsolated(_ person: PersonID, at minute: Minute) -> Bool {
        country.isolation.contains(person, at: minute)
    }
}

extension Country {
    /// What really happened. Keep it no longer than until the next step, which would copy what it holds.
    package var truth: Truth { Truth(self) }
}

/// All contacts of a user with another one that began on a day.
package struct Meeting: Sendable {
    /// The UTC day.
    package let day: Day
    /// Who was met.
    package let other: PersonID
    /// Minutes together.
    package private(set) var minutes = 0
    /// Minutes at less than two metres.
    package private(set) var closeMinutes = 0
    /// The shortest distance.
    package private(set) var nearestMetres = Double.infinity

    /// Whether it is what tracers call a close contact.
    package var isClose: Bool { closeMinutes >= 15 }

    fileprivate struct Key: Hashable {
        let day: Day
        let other: PersonID
    }

    fileprivate init(_ key: Key) {
        day = key.day
        other = key.other
    }

    fileprivate mutating func add(_ contact: Contact) {
        minutes += contact.minutes
        if contact.metres < 2 { closeMinutes += contact.minutes }
        nearestMetres = min(nearestMetres, contact.metres)
    }
}

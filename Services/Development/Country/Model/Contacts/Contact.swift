/// Where people meet.
package enum Place: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// In the household.
    case home
    /// At work, at school, or where elderly people meet.
    case work
    /// Anywhere else.
    case random
    /// At a venue, as other guests.
    case venue
}

/// Two people near each other. 16 bytes.
package struct Contact: Hashable, Sendable, BitwiseCopyable {
    /// The one with the lower number.
    package let first: PersonID
    /// The one with the higher number.
    package let second: PersonID
    /// When they met.
    package let start: Minute
    private let duration: UInt16
    let decimetres: UInt8
    /// Where.
    package let place: Place

    init(_ one: UInt32, _ other: UInt32, start: Minute, minutes: UInt16, decimetres: UInt8, place: Place) {
        first = PersonID(rawValue: min(one, other))
        second = PersonID(rawValue: max(one, other))
        self.start = start
        duration = minutes
        self.decimetres = decimetres
        self.place = place
    }

    /// For how long, 1...480.
    package var minutes: Int { Int(duration) }
    /// How far apart, the whole time; 0.1 to 25.5 metres.
    package var metres: Double { Double(decimetres) / 10 }
    /// When they parted.
    package var end: Minute { start.advanced(by: minutes) }
    /// Whether it is what tracers call a close contact: 15 minutes or more at less than two metres.
    package var isClose: Bool { minutes >= 15 && decimetres < 20 }

    /// The other one; nil if the person isn't part of it.
    package func other(than person: PersonID) -> PersonID? {
        person == first ? second : person == second ? first : nil
    }
}

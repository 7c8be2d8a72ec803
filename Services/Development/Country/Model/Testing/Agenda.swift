import ExposureKeys

/// What will happen, by hour.
struct Agenda: Sendable {
    /// Something that happens to a person.
    enum Errand: Sendable {
        /// Symptoms begin, of this infection or of another one.
        case symptoms(PersonID)
        case swab(TestID)
        case registration(TestID)
        case result(TestID)
        /// A person with a positive test is called.
        case call(TestID)
    }

    struct Entry: Sendable {
        let at: Minute
        let errand: Errand
    }

    private var hours: [Int32: [Entry]] = [:]

    mutating func add(_ errand: Errand, at minute: Minute) {
        hours[minute.hour.number, default: []].append(Entry(at: minute, errand: errand))
    }

    /// Takes what happens in an hour, in the order of time; what is entered meanwhile needs another call.
    mutating func take(_ hour: Hour) -> [Entry] {
        guard let entries = hours.removeValue(forKey: hour.number) else { return [] }
        return entries.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
}

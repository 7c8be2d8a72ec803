import ExposureKeys

/// A place that people visit.
package struct Venue: Sendable {
    /// The venue's number.
    package let id: VenueID
    /// Whether guests find a QR code.
    package let hasCode: Bool

    init(_ number: Int, _ parameters: CountryParameters) {
        var random = RandomStream(parameters.seed, .venue, UInt64(number))
        id = VenueID(rawValue: UInt32(number))
        hasCode = random.chance(parameters.venues.codeShare)
    }
}

/// A person at a venue.
package struct Visit: Hashable, Sendable {
    /// The guest.
    package let person: PersonID
    /// Where.
    package let venue: VenueID
    /// When the guest came.
    package let start: Minute
    /// For how long, 10...240.
    package let minutes: Int

    /// When the guest left.
    package var end: Minute { start.advanced(by: minutes) }
}

/// Who would visit which venue, as far as nobody stays at home.
struct VisitPlan: Sendable {
    private let seed: UInt64
    private let population: Int
    private let venues: Int
    private let parameters: VenueParameters

    init(_ parameters: CountryParameters, venues: Int) {
        seed = parameters.seed
        population = parameters.population
        self.venues = venues
        self.parameters = parameters.venues
    }

    /// The visits of a day in the order of people, who make at most one.
    func visits(on day: Day) -> [Visit] {
        guard venues > 0 else { return [] }
        return (0..<population).compactMap { number in
            var random = RandomStream(seed, .visit, UInt64(number), day: day.number)
            guard random.chance(parameters.dailyVisits) else { return nil }
            let venue =
                random.chance(parameters.habitShare)
                ? habit(random.index(below: parameters.habits), of: number) : random.index(below: venues)
            let stay = random.logNormal(median: parameters.stay.median, mean: parameters.stay.mean)
            // From 10 to 20 o'clock.
            return Visit(
                person: PersonID(number), venue: VenueID(rawValue: UInt32(venue)),
                start: Minute(600 + random.index(below: 600), of: day),
                minutes: min(max(10, Int(stay)), parameters.longestStay))
        }
    }

    private func habit(_ which: Int, of person: Int) -> Int {
        var random = RandomStream(seed, .visitor, UInt64(person * parameters.habits + which))
        return random.index(below: venues)
    }
}

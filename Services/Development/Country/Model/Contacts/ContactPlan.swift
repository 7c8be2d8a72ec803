import ExposureKeys

/// Who would meet whom: the contacts of each day, as far as nobody stays at home.
///
/// A day's contacts follow from the seed and the day alone. Whatever an epidemic or an app does takes contacts away and adds none.
struct ContactPlan: Sendable {
    private let seed: UInt64
    private let dailyShare: Double
    private let households: [Range<Int>]
    private let links: [WorkNetworks.Link]
    /// Each person as often as they meet somebody at random.
    private let sociable: [UInt32]
    private let distances: QuantileTable<UInt8>
    private let durations: QuantileTable<UInt16>
    private let homeDurations: QuantileTable<UInt16>

    init(_ population: Population, _ parameters: CountryParameters) {
        let contacts = parameters.contacts
        seed = parameters.seed
        dailyShare = contacts.dailyShare
        households = population.households
        links = WorkNetworks(population.people, parameters).links
        sociable = population.people.flatMap { person -> [UInt32] in
            var random = RandomStream(parameters.seed, .sociability, UInt64(person.id.rawValue))
            let mean = contacts.random[person.age.group.rawValue]
            let count = random.negativeBinomial(mean: mean, deviation: mean)
            return [UInt32](repeating: person.id.rawValue, count: count)
        }
        distances = .gamma(shape: contacts.distance.shape, scale: contacts.distance.scale * 10, within: 1...255)
        durations = .pareto(
            shape: contacts.duration.shape, minimum: contacts.duration.minimum, within: 1...contacts.longest)
        homeDurations = .gamma(
            shape: contacts.homeDuration.shape, scale: contacts.homeDuration.scale, within: 1...contacts.longest)
    }

    /// The mean duration at a place, in minutes.
    func meanMinutes(at place: Place) -> Double { (place == .home ? homeDurations : durations).mean { Double($0) } }

    /// The mean of a function of the distance.
    func mean(ofDistance measure: (UInt8) -> Double) -> Double { distances.mean(of: measure) }

    /// The contacts of a day by the hour in which they begin, in an order that is always the same.
    func contacts(on day: Day, visits: [Visit]) -> [[Contact]] {
        var hours = [[Contact]](repeating: [], count: 24)
        for hour in 8..<21 { hours[hour].reserveCapacity(links.count / 14 + sociable.count / 24) }
        addAtHome(on: day, to: &hours)
        addAtWork(on: day, to: &hours)
        addAtRandom(on: day, to: &hours)
        addAtVenues(visits, on: day, to: &hours)
        return hours
    }

    // MARK: Four places

    /// Everybody of a household meets everybody else once, beginning between 16 and 20 o'clock.
    private func addAtHome(on day: Day, to hours: inout [[Contact]]) {
        for (number, members) in households.enumerated() where members.count > 1 {
            var random = RandomStream(seed, .homeContact, UInt64(number), day: day.number)
            for one in members {
                for other in members where one < other {
                    add(UInt32(one), UInt32(other), .home, 960..<1200, random.next(), on: day, to: &hours)
                }
            }
        }
    }

    /// Some of the links, beginning between 8 and 16 o'clock.
    private func addAtWork(on day: Day, to hours: inout [[Contact]]) {
        var random = RandomStream(seed, .workContact, day: day.number)
        // The highest bits decide whether they meet; the others, how.
        let limit = UInt64(dailyShare * 0x1p16)
        for link in links {
            let bits = random.next()
            guard bits >> 48 < limit else { continue }
            add(link.one, link.other, .work, 480..<960, bits, on: day, to: &hours)
        }
    }

    /// Neighbours in a shuffled list (OpenABM-Covid19, `documentation/covid19.md`, "Random Network"), from 8 to 21 o'clock.
    private func addAtRandom(on day: Day, to hours: inout [[Contact]]) {
        var random = RandomStream(seed, .randomContacts, day: day.number)
        var list = sociable
        random.shuffle(&list)
        for place in stride(from: 0, to: list.count - 1, by: 2) where list[place] != list[place + 1] {
            add(list[place], list[place + 1], .random, 480..<1260, random.next(), on: day, to: &hours)
        }
    }

    /// Each guest meets the next two who come to the venue while the guest is there.
    private func addAtVenues(_ visits: [Visit], on day: Day, to hours: inout [[Contact]]) {
        var random = RandomStream(seed, .venueContacts, day: day.number)
        let order = visits.sorted { ($0.venue, $0.start, $0.person) < ($1.venue, $1.start, $1.person) }
        for (place, visit) in order.enumerated() {
            for later in order[(place + 1)...].prefix(2)
            where later.venue == visit.venue && later.start < visit.end && later.person != visit.person {
                let bits = random.next()
                let together = later.start.minutes(until: min(visit.end, later.end))
                let contact = Contact(
                    visit.person.rawValue, later.person.rawValue, start: later.start,
                    minutes: UInt16(min(Int(durations[bits]), together)), decimetres: distances[bits >> 12],
                    place: .venue)
                hours[later.start.hour.ofDay].append(contact)
            }
        }
    }

    /// Adds a contact whose duration, distance and start come from 40 random bits.
    @inline(__always)
    private func add(
        _ one: UInt32, _ other: UInt32, _ place: Place, _ minutes: Range<Int>, _ bits: UInt64, on day: Day,
        to hours: inout [[Contact]]
    ) {
        let minute = minutes.lowerBound + (Int((bits >> 24) & 0xFFFF) * minutes.count) >> 16
        let contact = Contact(
            one, other, start: Minute(minute, of: day), minutes: (place == .home ? homeDurations : durations)[bits],
            decimetres: distances[bits >> 12], place: place)
        hours[minute / 60].append(contact)
    }
}

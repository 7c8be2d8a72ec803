/// The links between people who meet again and again: schools, work, and where elderly people spend the day.
///
/// Five small-world networks as in OpenABM-Covid19 (`documentation/covid19.md`, "Workplace Networks"): two of schools and two of elderly
/// people, each with some adults, and one of all other adults. Links inside a household aren't avoided.
struct WorkNetworks: Sendable {
    /// Pairs of people. More links than daily contacts: only some of them meet on a day.
    private(set) var links: [Link] = []

    struct Link: Sendable, BitwiseCopyable {
        let one: UInt32
        let other: UInt32
    }

    init(_ people: [Person], _ parameters: CountryParameters) {
        var random = RandomStream(parameters.seed, .networks)
        var members = [[UInt32]](repeating: [], count: 9)
        var adults: [UInt32] = []
        for person in people {
            if person.age.group == .adult {
                adults.append(person.id.rawValue)
            } else {
                members[Int(person.age.rawValue)].append(person.id.rawValue)
            }
        }
        random.shuffle(&adults)
        for decade in [0, 1, 7, 8] {
            let helpers = Int(Double(members[decade].count) * parameters.contacts.adultsPerMember)
            let group: AgeGroup = decade < 2 ? .child : .elderly
            let network = members[decade] + adults.suffix(helpers)
            adults.removeLast(min(helpers, adults.count))
            connect(network, group, parameters.contacts, using: &random)
        }
        connect(adults, .adult, parameters.contacts, using: &random)
    }

    /// Watts and Strogatz, *Collective dynamics of small-world networks*, 1998: a ring in which each is linked with its nearest, and some
    /// of the links lead anywhere instead.
    private mutating func connect(
        _ members: [UInt32], _ group: AgeGroup, _ contacts: ContactParameters, using random: inout RandomStream
    ) {
        var ring = members
        random.shuffle(&ring)
        let wanted = contacts.network[group.rawValue] / contacts.dailyShare / 2
        for step in (0..<Int(wanted.rounded())).map({ $0 + 1 }) where step * 2 < ring.count {
            for place in ring.indices {
                var other = ring[(place + step) % ring.count]
                if random.chance(contacts.rewiring) { other = ring[random.index(below: ring.count)] }
                if other != ring[place] { links.append(Link(one: ring[place], other: other)) }
            }
        }
    }
}

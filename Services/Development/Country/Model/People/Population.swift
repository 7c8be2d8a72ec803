/// Everybody, by household.
struct Population: Sendable {
    let people: [Person]
    /// The numbers of each household's members.
    let households: [Range<Int>]

    init(_ parameters: CountryParameters) {
        let builder = HouseholdBuilder(parameters.people)
        let adoption = Adoption(parameters.people)
        var random = RandomStream(parameters.seed, .households)
        var people: [Person] = []
        var households: [Range<Int>] = []
        while people.count < parameters.population {
            let first = people.count
            for age in builder.household(using: &random).prefix(parameters.population - first) {
                let id = PersonID(people.count)
                people.append(
                    Person(
                        id: id, age: age, household: UInt32(households.count),
                        phone: adoption.phone(of: id, aged: age, in: parameters)))
            }
            households.append(first..<people.count)
        }
        self.people = people
        self.households = households
    }
}

/// Draws households so that their sizes and everybody's ages have the published shares.
///
/// One or two people live together as adults or as elderly people; from three on, two are adults, and the others are mostly children.
/// Both probabilities follow from the shares.
private struct HouseholdBuilder {
    private let sizes: [Double]
    private let ages: [Double]
    private let elderlyShare: Double
    private let childShare: Double

    init(_ people: PeopleParameters) {
        sizes = people.householdSizes
        ages = people.ages
        func members(_ count: (Int) -> Int) -> Double {
            people.householdSizes.enumerated().reduce(0) { $0 + $1.element * Double(count($1.offset + 1)) }
        }
        let all = members { $0 }
        elderlyShare = min(1, AgeGroup.elderly.share(of: people.ages) * all / members { $0 <= 2 ? $0 : 0 })
        childShare = min(1, AgeGroup.child.share(of: people.ages) * all / members { max(0, $0 - 2) })
    }

    func household(using random: inout RandomStream) -> [AgeDecade] {
        var rest = random.unit() * sizes.reduce(0, +)
        let place =
            sizes.firstIndex { weight in
                rest -= weight
                return rest < 0
            } ?? 0
        let couple: AgeGroup = place < 2 && random.chance(elderlyShare) ? .elderly : .adult
        return (0...place).map { member in
            let group = member < 2 ? couple : random.chance(childShare) ? .child : .adult
            return AgeDecade(among: group.decades, weights: ages, using: &random)
        }
    }
}

/// Who has the app: by age, scaled to the wanted share of everybody. A larger share adds users and takes none away.
private struct Adoption {
    private let probabilities: [Double]

    init(_ people: PeopleParameters) {
        precondition((0...1).contains(people.appShare), "a share is between 0 and 1")
        func share(scale: Double) -> Double {
            zip(people.ages, people.appByAge).reduce(0) { $0 + $1.0 * min(1, $1.1 * scale) }
                / people.ages.reduce(0, +)
        }
        var (low, high) = (0.0, 64.0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if share(scale: middle) < people.appShare { low = middle } else { high = middle }
        }
        probabilities = people.appByAge.map { min(1, $0 * high) }
    }

    func phone(of person: PersonID, aged age: AgeDecade, in parameters: CountryParameters) -> PhoneClass? {
        var app = RandomStream(parameters.seed, .app, UInt64(person.rawValue))
        guard app.chance(probabilities[Int(age.rawValue)]) else { return nil }
        var random = RandomStream(parameters.seed, .phone, UInt64(person.rawValue))
        return PhoneClass(parameters.people, checkInShare: parameters.venues.checkInShare, using: &random)
    }
}

/// Who is infected, and who infects whom.
///
/// Each person is given an amount of hazard from an exponential distribution at first. Contacts with infectious people use it up; when
/// none is left, the person is infected (OpenABM-Covid19, `documentation/covid19.md`, "Transmission"). That is the same as drawing for
/// each contact, and a contact more or less changes nothing else.
struct Epidemic: Sendable {
    private let seed: UInt64
    private let disease: DiseaseParameters
    private let transmission: Transmission
    private let people: [Person]
    /// The hazard that is left; 0 or less once infected.
    private var resistance: [Double]
    /// 1 more than the place in ``infections``; 0 for people who never were infected.
    private var numbers: [UInt32]
    /// In the order of hours.
    private(set) var infections: [Infection] = []

    init(_ people: [Person], _ transmission: Transmission, _ parameters: CountryParameters) {
        seed = parameters.seed
        disease = parameters.disease
        self.transmission = transmission
        self.people = people
        resistance = people.map { person in
            var random = RandomStream(parameters.seed, .resistance, UInt64(person.id.rawValue))
            return random.exponential() / parameters.disease.susceptibility[Int(person.age.rawValue)]
        }
        numbers = [UInt32](repeating: 0, count: people.count)
    }

    func infection(of person: PersonID) -> Infection? {
        let number = numbers[person.index]
        return number == 0 ? nil : infections[Int(number) - 1]
    }

    /// Two people meet. The infection, if one of them infects the other.
    mutating func meet(_ contact: Contact) -> Infection? {
        let first = numbers[contact.first.index]
        let second = numbers[contact.second.index]
        guard (first == 0) != (second == 0) else { return nil }
        let infector = infections[Int(max(first, second)) - 1]
        let other = first == 0 ? contact.first : contact.second
        let person = people[other.index]
        let hazard = transmission.hazard(of: contact, from: infector, to: person.age.group)
        guard hazard > 0 else { return nil }
        resistance[other.index] -= hazard
        guard resistance[other.index] <= 0 else { return nil }
        return infect(other, at: contact.start, by: infector.person, place: contact.place)
    }

    /// Infects a person; nil if the person was infected before.
    mutating func infect(_ person: PersonID, at minute: Minute, by other: PersonID?, place: Place?) -> Infection? {
        guard numbers[person.index] == 0 else { return nil }
        let infection = Infection(
            of: people[person.index], at: minute, by: other, place: place, seed: seed, disease)
        infections.append(infection)
        numbers[person.index] = UInt32(infections.count)
        return infection
    }
}

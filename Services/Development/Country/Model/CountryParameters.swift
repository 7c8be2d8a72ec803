package import ExposureKeys

/// Everything that decides what happens in a country, apart from warnings.
package struct CountryParameters: Sendable {
    /// How many people live there.
    package let population: Int
    /// The first day.
    package let start: Day
    /// Two countries with the same seed have the same people, contacts and dispositions.
    package let seed: UInt64
    /// Who lives there, and with which phones.
    package var people = PeopleParameters()
    /// How people meet.
    package var contacts = ContactParameters()
    /// How they infect each other.
    package var disease = DiseaseParameters()
    /// Who is tested, and how results reach people.
    package var testing = TestingParameters()
    /// What people do when they learn something.
    package var behaviour = BehaviourParameters()
    /// Places that people visit.
    package var venues = VenueParameters()
    /// What phones hear of each other.
    package var radio = RadioParameters()

    /// Parameters with published values.
    /// - Parameters:
    ///   - population: one person or more.
    ///   - start: a Monday, if weekdays shall look as usual; the model itself knows no weekend.
    ///   - seed: any number.
    package init(population: Int, start: Day, seed: UInt64) {
        precondition((1...100_000_000).contains(population), "a country has people")
        self.population = population
        self.start = start
        self.seed = seed
    }
}

/// How people infect each other, and what follows. Sources: the table in this module's README.
package struct DiseaseParameters: Sendable {
    /// How many people are infected when the country begins.
    package var firstCases = 20
    /// In how many days before the first one they were infected, evenly: an epidemic that is under way.
    package var firstCasesDays = 10
    /// How many are infected elsewhere on each day.
    package var importedPerDay = 1
    /// How many people somebody with more than mild symptoms would infect, if nobody was infected yet.
    package var infectiousRate = 5.8
    /// Days from infection to infecting: mean and standard deviation of a gamma distribution.
    package var generation = (mean: 5.5, deviation: 2.14)
    /// The standard deviation of how infectious people are compared with others; the mean is 1.
    package var multiplierDeviation = 1.4
    /// Days from infection to onset of symptoms.
    package var onset = (mean: 5.42, deviation: 2.7)
    /// Days from onset to recovery.
    package var recovery = (mean: 12.0, deviation: 5.0)
    /// Days from infection to recovery without symptoms.
    package var recoveryWithoutSymptoms = (mean: 15.0, deviation: 5.0)
    /// The share of infected people without symptoms, by decade of age.
    package var asymptomatic: [Double] = [0.456, 0.412, 0.370, 0.332, 0.296, 0.265, 0.238, 0.214, 0.192]
    /// The share with mild symptoms.
    package var mild: [Double] = [0.533, 0.569, 0.597, 0.614, 0.616, 0.602, 0.571, 0.523, 0.461]
    /// How infectious people without symptoms and people with mild ones are, compared with others.
    package var infectiousness = (asymptomatic: 0.33, mild: 0.72)
    /// How susceptible people are, by decade of age.
    package var susceptibility: [Double] = [0.35, 0.69, 1.03, 1.03, 1.03, 1.03, 1.27, 1.52, 1.52]
    /// How much a contact at home counts, compared with one elsewhere.
    package var homeWeight = 2.0
    /// How much a minute counts at a distance in metres: `1 - 1 / (1 + e^(-slope · metres + offset))`.
    package var distance = (slope: 1.5, offset: 6.6)
    /// The share of people who get symptoms of another infection on a day.
    package var otherSymptoms = 0.002

    /// The published values.
    package init() {}
}

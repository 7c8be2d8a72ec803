/// What became of an infected person.
package struct Infection: Sendable {
    /// How ill somebody gets.
    package enum Severity: Sendable { case asymptomatic, mild, severe }

    /// Who.
    package let person: PersonID
    /// When.
    package let at: Minute
    /// By whom; nil if elsewhere.
    package let by: PersonID?
    /// Where; nil if elsewhere.
    package let place: Place?
    /// How ill the person gets.
    package let severity: Severity
    /// When symptoms begin; nil if there are none.
    package let onset: Minute?
    /// When the person is no longer infectious, and immune.
    package let recovery: Minute
    /// How many people the person would infect in all, if nobody was infected yet.
    let strength: Double

    /// Draws the course of an infection. What the person has decided before: it depends neither on the day nor on the other one.
    init(
        of person: Person, at minute: Minute, by other: PersonID?, place: Place?, seed: UInt64,
        _ disease: DiseaseParameters
    ) {
        var random = RandomStream(seed, .course, UInt64(person.id.rawValue))
        let decade = Int(person.age.rawValue)
        let kind = random.unit()
        let multiplier = random.gamma(mean: 1, deviation: disease.multiplierDeviation)
        let onset = random.gamma(mean: disease.onset.mean, deviation: disease.onset.deviation)
        let factor: Double
        if kind < disease.asymptomatic[decade] {
            (severity, factor) = (.asymptomatic, disease.infectiousness.asymptomatic)
        } else if kind < disease.asymptomatic[decade] + disease.mild[decade] {
            (severity, factor) = (.mild, disease.infectiousness.mild)
        } else {
            (severity, factor) = (.severe, 1)
        }
        self.person = person.id
        at = minute
        by = other
        self.place = place
        strength = disease.infectiousRate * factor * multiplier
        if severity == .asymptomatic {
            self.onset = nil
            let recovery = disease.recoveryWithoutSymptoms
            self.recovery = minute.advanced(
                byDays: random.gamma(mean: recovery.mean, deviation: recovery.deviation))
        } else {
            let begin = minute.advanced(byDays: onset)
            self.onset = begin
            recovery = begin.advanced(
                byDays: random.gamma(mean: disease.recovery.mean, deviation: disease.recovery.deviation))
        }
    }
}

import ExposureKeys

/// Why somebody is tested.
package enum TestReason: Sendable, CaseIterable {
    /// The person has symptoms, of this infection or of another one.
    case symptoms
    /// The person's phone has shown a red warning.
    case warning
    /// None.
    case random
}

/// How a result reaches the person.
package enum ResultRoute: Sendable {
    /// A QR code with a GUID; the laboratory posts the result.
    case electronic
    /// By telephone. A user with a positive result may be told a teleTAN.
    case telephone
}

/// A test from its order on.
struct TestRecord: Sendable {
    let id: TestID
    let person: PersonID
    let reason: TestReason
    let route: ResultRoute
    let swabAt: Minute
    let resultAt: Minute
    /// When an officer can reach the person by telephone.
    let callAt: Minute
    /// When the user scans the code; nil if that doesn't happen.
    let registersAt: Minute?
    let isRegistered: Bool
    /// Uniform: decides whether the sample is positive.
    private let luck: Double

    /// Draws what happens to a test. Everything follows from the person and the day of the sample.
    init(
        _ id: TestID, of person: Person, _ reason: TestReason, at swab: Minute, seed: UInt64,
        _ testing: TestingParameters
    ) {
        var random = RandomStream(seed, .test, UInt64(person.id.rawValue), day: swab.day.number)
        self.id = id
        self.person = person.id
        self.reason = reason
        swabAt = swab
        route = random.chance(testing.electronicShare) ? .electronic : .telephone
        luck = random.unit()
        let wait = random.logNormal(median: testing.laboratoryDelay.median, mean: testing.laboratoryDelay.mean) / 24
        resultAt = swab.advanced(byDays: min(wait, testing.longestLaboratoryDelay))
        callAt = resultAt.advanced(by: 60 + random.index(below: 420)).duringOpeningHours
        isRegistered = random.chance(testing.registrationShare) && person.phone != nil
        // The code is scanned on the spot, or within two hours.
        let later = swab.advanced(by: random.index(below: 120))
        registersAt = isRegistered && route == .electronic ? later : nil
    }

    /// Whether the result is positive.
    func isPositive(_ infection: Infection?, _ testing: TestingParameters) -> Bool {
        guard let infection, infection.at <= swabAt else { return luck >= testing.specificity }
        let days = Double(infection.at.minutes(until: swabAt)) / Double(Minute.perDay)
        return testing.sensitiveDays.contains(days) ? luck < testing.sensitivity : luck >= testing.specificity
    }
}

package import ExposureKeys

/// What a user does once the phone has shown a positive result, if they warn others.
package struct Sharing: Hashable, Sendable {
    /// Minutes from the moment at which the phone shows the result to the upload, 30...45: the app waits for 30 minutes without activity
    /// and tries each 15 minutes.
    package let minutesAfterResult: Int
    /// What the user says about symptoms.
    package let symptoms: SymptomAnswer
    /// Whether check-ins are shared too.
    package let sharesCheckIns: Bool

    /// Nil if the person won't warn others.
    init?(of record: TestRecord, _ infection: Infection?, seed: UInt64, _ testing: TestingParameters) {
        var random = RandomStream(
            seed, .sharing, UInt64(record.person.rawValue), day: record.swabAt.day.number)
        guard random.chance(testing.consentShare) else { return nil }
        minutesAfterResult = 30 + random.index(below: 16)
        sharesCheckIns = random.chance(testing.checkInConsentShare)
        symptoms = SymptomAnswer(
            onset: infection?.onset, at: record.resultAt, testing, using: &random)
    }
}

/// What a person who tested positive says about the onset of symptoms, as the apps ask for it.
package enum SymptomAnswer: Hashable, Sendable {
    /// Nothing.
    case unsaid
    /// There are none.
    case none
    /// There are some, of unknown onset.
    case unknownDay
    /// They began on a day.
    case day(Day)
    /// They began at most seven days ago.
    case lastWeek
    /// They began one to two weeks ago.
    case weekBefore
    /// They began more than two weeks ago.
    case earlier

    init(onset: Minute?, at now: Minute, _ testing: TestingParameters, using random: inout RandomStream) {
        let choice = random.unit()
        let answers = testing.answers
        guard let onset, onset <= now else {
            self = choice < testing.noSymptomsAnswer ? .none : .unsaid
            return
        }
        if choice < answers.day {
            self = .day(onset.day)
        } else if choice < answers.day + answers.range {
            switch onset.day.distance(to: now.day) {
            case ...7: self = .lastWeek
            case ...14: self = .weekBefore
            default: self = .earlier
            }
        } else {
            self = choice < answers.day + answers.range + answers.unknown ? .unknownDay : .unsaid
        }
    }
}

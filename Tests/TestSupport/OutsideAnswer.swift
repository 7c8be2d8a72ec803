/// What a party outside may answer to any call, and what every caller has to bear: the rows of each service's `AnswerTests`.
package enum OutsideAnswer: String, CaseIterable, Sendable {
    /// It refuses, and says why in the form that its protocol has for that.
    case refusedWithReason
    /// It refuses by a status alone, as something in front of it does.
    case refusedWithoutReason
    /// It does what it is asked, and answers when the caller's deadline has passed.
    case lateButDone
    /// The right answer with fields and members that the caller doesn't know.
    case addedField
    /// The right answer of one whose clock is a minute ahead of the caller's.
    case clockAhead
    /// The right answer of one whose clock is a minute behind.
    case clockBehind

    /// By how many seconds its clock is ahead of the caller's.
    package var secondsAhead: Double {
        switch self {
        case .clockAhead: 60
        case .clockBehind: -60
        case .refusedWithReason, .refusedWithoutReason, .lateButDone, .addedField: 0
        }
    }

    /// Whether the caller gets what it asked for at once.
    package var isRight: Bool {
        switch self {
        case .addedField, .clockAhead, .clockBehind: true
        case .refusedWithReason, .refusedWithoutReason, .lateButDone: false
        }
    }
}

package import FoundationEssentials

/// What somebody said of their own health in the Further app (further, `README.md`, "Questionnaire").
package struct Questionnaire: Codable, Hashable, Sendable {
    /// The three answers. Nobody checks them.
    package struct Answers: Codable, Hashable, Sendable {
        /// Whether they feel sick.
        package let feelingSick: Bool
        /// Whether a professional has tested them.
        package let hasBeenTested: Bool
        /// Whether the test was positive. Only this one warns others.
        package let testResult: Bool

        /// Creates answers.
        package init(feelingSick: Bool, hasBeenTested: Bool, testResult: Bool) {
            self.feelingSick = feelingSick
            self.hasBeenTested = hasBeenTested
            self.testResult = testResult
        }

        /// What a dummy says.
        package static let negative = Answers(feelingSick: false, hasBeenTested: false, testResult: false)
    }

    /// The last answers; nil before the first ones.
    package private(set) var answers: Answers?
    /// When they were given, in whole UNIX seconds.
    ///
    /// The published app sends the present time with every launch, so that a positive test never ages. This is the time at which the user
    /// answered, however often it is sent.
    package private(set) var lastUpdate: Int64 = 0
    /// Whether the server hasn't confirmed them.
    package private(set) var isPending = false

    /// Seconds for which a positive test is listed.
    package static let listed: Int64 = 14 * 86_400

    /// Nothing was answered.
    package init() {}

    /// The user answers. It counts from now on, also if the answers are the same.
    ///
    /// Of two answers within a second, or after the clock was set back a little, the later must not look older than the one that the
    /// server may have: it would be ignored. The server takes no time that is more than five minutes ahead.
    package mutating func answer(_ answers: Answers, at now: Date) {
        self.answers = answers
        let seconds = Int64(now.timeIntervalSince1970)
        lastUpdate = max(seconds, min(lastUpdate + 1, seconds + 300))
        isPending = true
    }

    /// The server has confirmed what was sent. Answers that were given in the meantime stay pending.
    package mutating func confirm(sentUpdate: Int64) {
        if sentUpdate == lastUpdate { isPending = false }
    }

    /// Whether others are still to be warned.
    package func isPositive(at now: Date) -> Bool {
        answers?.testResult == true && Int64(now.timeIntervalSince1970) - lastUpdate < Self.listed
    }
}

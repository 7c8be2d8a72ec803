package import FoundationEssentials
package import FurtherAPI

extension HealthReport {
    /// A record of a questionnaire.
    /// - Parameter lastUpdate: whole UNIX seconds; a fraction would be a fingerprint.
    package init(id: UUID, answers: Questionnaire.Answers, lastUpdate: Int64) {
        self.init(
            id: id, feelingSick: answers.feelingSick, hasBeenTested: answers.hasBeenTested,
            testResult: answers.testResult, lastUpdate: Double(lastUpdate))
    }

    /// What was answered.
    package var answers: Questionnaire.Answers {
        Questionnaire.Answers(feelingSick: feelingSick, hasBeenTested: hasBeenTested, testResult: testResult)
    }
}

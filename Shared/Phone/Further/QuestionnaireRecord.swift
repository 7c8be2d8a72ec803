package import FoundationEssentials

/// One record of a questionnaire, as it goes to the server: who, what, and when it was answered.
package struct QuestionnaireRecord: Hashable, Sendable {
    /// The installation's id, or its id of a day.
    package let id: UUID
    /// What was answered.
    package let answers: Questionnaire.Answers
    /// UNIX seconds.
    package let lastUpdate: Int64

    /// Creates a record.
    package init(id: UUID, answers: Questionnaire.Answers, lastUpdate: Int64) {
        self.id = id
        self.answers = answers
        self.lastUpdate = lastUpdate
    }

    /// Records in a call with day ids.
    package static let perBatch = 14
}

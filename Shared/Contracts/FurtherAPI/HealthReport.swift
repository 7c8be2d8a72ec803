package import FoundationEssentials
package import HTTPContract

/// A person's answers to the questionnaire (Further's README, "Questionnaire"). All keys are required; others are ignored.
package struct HealthReport: JSONMessage, Hashable {
    /// What the phone shows to others. Any case is read, upper case is written.
    package let id: UUID
    /// Whether the person has symptoms.
    package let feelingSick: Bool
    /// Whether the person had a test.
    package let hasBeenTested: Bool
    /// Whether the person is positive; the lists look at nothing else.
    package let testResult: Bool
    /// When the person answered, in seconds since 1970; finite.
    package let lastUpdate: Double

    /// A person's answers.
    package init(id: UUID, feelingSick: Bool, hasBeenTested: Bool, testResult: Bool, lastUpdate: Double) {
        self.id = id
        self.feelingSick = feelingSick
        self.hasBeenTested = hasBeenTested
        self.testResult = testResult
        self.lastUpdate = lastUpdate
    }

    private enum CodingKeys: CodingKey { case id, feelingSick, hasBeenTested, testResult, lastUpdate }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let text = try values.decode(String.self, forKey: .id)
        // Foundation takes a space for a digit.
        guard let id = UUID(uuidString: text), id.uuidString == text.uppercased() else { throw MalformedMessage() }
        self.id = id
        feelingSick = try values.decode(Bool.self, forKey: .feelingSick)
        hasBeenTested = try values.decode(Bool.self, forKey: .hasBeenTested)
        testResult = try values.decode(Bool.self, forKey: .testResult)
        lastUpdate = try values.decode(Double.self, forKey: .lastUpdate)
        guard lastUpdate.isFinite else { throw MalformedMessage() }
    }

    package static var schema: JSONSchema {
        .object([
            "id": .text(
                pattern: "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}",
                examples: ["9A8B7C6D-5E4F-4A3B-8C2D-1E0F9A8B7C6D"]),
            "feelingSick": .boolean, "hasBeenTested": .boolean, "testResult": .boolean,
            "lastUpdate": .number,
        ])
    }
}

/// As many reports as a phone has ids in 14 days, each with another id.
package struct HealthBatch: JSONMessage, Hashable {
    /// Exactly ``FurtherAPI/batchCount``.
    package let reports: [HealthReport]

    /// Nil unless there are as many as a batch has, each with another id.
    package init?(_ reports: [HealthReport]) {
        guard reports.count == FurtherAPI.batchCount, Set(reports.map(\.id)).count == reports.count else { return nil }
        self.reports = reports
    }

    package init(from decoder: any Decoder) throws {
        guard let batch = HealthBatch(try [HealthReport](from: decoder)) else { throw MalformedMessage() }
        self = batch
    }

    package func encode(to encoder: any Encoder) throws { try reports.encode(to: encoder) }

    package static var schema: JSONSchema {
        .array(of: HealthReport.schema, count: FurtherAPI.batchCount...FurtherAPI.batchCount)
    }
}

/// `{}`: published apps look at the status only.
package struct Accepted: JSONMessage, Equatable {
    /// The only value.
    package init() {}

    package static var schema: JSONSchema { .object([:]) }
}

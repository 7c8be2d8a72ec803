package import FoundationEssentials
import StrictJSON

/// Which parts of the Further app are switched on. The names in JSON are the app's.
package struct FurtherFeatures: Codable, Hashable, Sendable {
    /// The app broadcasts and listens.
    package let allowDetection: Bool
    /// The questionnaire is sent.
    package let allowQuestions: Bool
    /// The list is asked for, and the user is told.
    package let allowStories: Bool

    /// Creates switches.
    package init(allowDetection: Bool, allowQuestions: Bool, allowStories: Bool) {
        self.allowDetection = allowDetection
        self.allowQuestions = allowQuestions
        self.allowStories = allowStories
    }

    /// What an app begins with.
    package static let all = FurtherFeatures(allowDetection: true, allowQuestions: true, allowStories: true)

    /// Takes over what the server publishes. If one of the three is missing or isn't a boolean, the old ones stay.
    package mutating func update(with json: Data) {
        if let new = try? StrictJSON.decode(Self.self, from: json) { self = new }
    }
}

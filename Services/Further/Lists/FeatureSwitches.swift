import FoundationEssentials
import Running
import StrictJSON

/// Which parts of the app are switched on. The app needs all three keys, and keeps its switches if one is missing.
struct FeatureSwitches: Codable, Equatable, Sendable {
    /// Whether phones detect each other.
    var allowDetection = true
    /// Whether the app asks how its user feels.
    var allowQuestions = true
    /// Whether the app says whether its user met somebody who is positive.
    var allowStories = true

    /// As the list is published.
    var json: [UInt8] {
        Array(
            #"{"allowDetection":\#(allowDetection),"allowQuestions":\#(allowQuestions),"allowStories":\#(allowStories)}"#
                .utf8)
    }

    /// The switches of a file; nil if it can't be read, or isn't an object with the three.
    static func read(_ file: URL) -> FeatureSwitches? {
        (try? Data(contentsOf: file)).flatMap { try? StrictJSON.decode(FeatureSwitches.self, from: $0) }
    }
}

import FoundationEssentials
import Phone

/// What the Further app reads beside the contract's messages.
extension DecoderTarget {
    /// The switches: all three or none are taken over.
    static func furtherFeatures(_ bytes: Data) -> Verdict {
        var features = [
            FurtherFeatures.all, FurtherFeatures(allowDetection: false, allowQuestions: false, allowStories: false),
        ]
        for place in features.indices { features[place].update(with: bytes) }
        guard features[0] != features[1] else { return .value }
        return features[0] == .all ? .refused : .broken("some of the switches were taken over")
    }

    /// The state that a phone keeps.
    static func furtherPhone(_ bytes: Data) -> Verdict {
        guard let phone = try? JSONDecoder().decode(FurtherPhone.self, from: bytes) else { return .refused }
        do {
            let again = try JSONDecoder().decode(FurtherPhone.self, from: JSONEncoder().encode(phone))
            return again == phone ? .value : .broken("read again, it is another phone")
        } catch {
            return .broken("it can't be written and read again: \(error)")
        }
    }
}

/// A language of the pages. A further language is a case here and a file like `Words+English.swift`.
enum Language: String, CaseIterable, Sendable {
    case german = "de"
    case english = "en"

    /// The texts in this language.
    var words: Words {
        switch self {
        case .german: .german
        case .english: .english
        }
    }

    /// The language that a browser prefers (RFC 9110, section 12.5.4); German if it names none of ours.
    init(acceptLanguage: String?) {
        let wishes = (acceptLanguage ?? "").split(separator: ",").compactMap(Self.wish)
        // The first of several with the same weight: sorting must not change their order.
        let best = wishes.enumerated().max { ($0.element.weight, -$0.offset) < ($1.element.weight, -$1.offset) }
        self = best?.element.language ?? .german
    }

    private static func wish(_ text: Substring) -> (language: Language, weight: Double)? {
        let parts = text.split(separator: ";").map { $0.filter { $0 != " " } }
        guard let tag = parts.first?.split(separator: "-").first, let language = Language(rawValue: tag.lowercased())
        else { return nil }
        let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
        return weight > 0 ? (language, weight) : nil
    }
}

import HTTPContract
import HTTPTypes
import Pages
import Running
import Serving

/// A language of the pages.
enum Language: String, Hashable, Sendable, CaseIterable {
    case german = "de"
    case english = "en"

    static let cookie: HostCookie.StaticName = "language"

    /// A year: a choice isn't forgotten with the session.
    static let seconds = 365 * 86_400
}

/// The languages that the authority offers.
struct Languages: Sendable {
    /// In the authority's order. The first is for browsers that accept none of them.
    let offered: [Language]

    /// All, German first.
    static let all = Languages(offered: Language.allCases)

    /// The language of a request: the one that was chosen, else the first that the browser accepts and the authority offers.
    func language(of request: Request) -> Language {
        if let chosen = (try? request.cookie(Language.cookie)).flatMap(self.language(named:)) { return chosen }
        return accepted(by: request.headers[.acceptLanguage] ?? "") ?? offered[0]
    }

    /// One of those that are offered.
    func language(named name: String) -> Language? { offered.first { $0.rawValue == name } }

    /// The language of the greatest weight (RFC 9110, section 12.5.4); regions are ignored.
    func accepted(by field: String) -> Language? {
        var best: (language: Language, weight: Double)?
        for range in field.split(separator: ",").prefix(20) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = parts.first?.split(separator: "-").first,
                let language = language(named: tag.lowercased())
            else { continue }
            let weights = parts.dropFirst().filter { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) }
            guard let weight = weights.isEmpty ? 1 : weights[0], weight > best?.weight ?? 0 else { continue }
            best = (language, weight)
        }
        return best?.language
    }
}

extension Languages {
    /// From `portal.languages`.
    init(_ settings: Settings) throws(ConfigurationProblem) {
        let names = settings.list("portal.languages")
        guard !names.isEmpty else {
            self = .all
            return
        }
        offered = names.compactMap(Language.init(rawValue:))
        guard offered.count == names.count, Set(offered).count == names.count else {
            let known = Language.allCases.map(\.rawValue).joined(separator: " and ")
            throw settings.wrong("portal.languages", "must be a list of \(known), each once")
        }
    }
}

/// `GET /language?to=de&at=/codes`: chooses a language and leads back to the page.
struct ChooseLanguage: Sendable {
    let languages: Languages

    func handle(_ request: Request, _ exchange: Exchange) throws -> Response {
        let query = try request.queryValues()
        guard let language = query["to"].flatMap(languages.language(named:)) else { throw Refusal.malformed }
        let page = query["at"].flatMap(PagePath.init(rawValue:)) ?? .start
        return .seeOther(
            page.location, cookies: [try HostCookie(Language.cookie, language.rawValue, maxAge: Language.seconds)])
    }
}

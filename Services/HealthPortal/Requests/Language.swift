import HTTPContract
import HTTPTypes
import Pages
import Serving

/// A language of the pages.
enum Language: String, Hashable, Sendable, CaseIterable {
    case german = "de"
    case english = "en"

    /// The language of a request: the one that was chosen, else the first that the browser accepts and the pages have.
    init(of request: Request) {
        if let chosen = try? request.cookie(Self.cookie), let language = Language(rawValue: chosen) {
            self = language
        } else {
            self = Self.accepted(by: request.headers[.acceptLanguage] ?? "") ?? .german
        }
    }

    /// The language of the greatest weight (RFC 9110, section 12.5.4); regions are ignored.
    static func accepted(by field: String) -> Language? {
        var best: (language: Language, weight: Double)?
        for range in field.split(separator: ",").prefix(20) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = parts.first?.split(separator: "-").first,
                let language = Language(rawValue: tag.lowercased())
            else { continue }
            let weights = parts.dropFirst().filter { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) }
            guard let weight = weights.isEmpty ? 1 : weights[0], weight > best?.weight ?? 0 else { continue }
            best = (language, weight)
        }
        return best?.language
    }

    static let cookie: HostCookie.StaticName = "language"

    /// A year: a choice isn't forgotten with the session.
    static let seconds = 365 * 86_400
}

/// `GET /language?to=de&at=/codes`: chooses a language and leads back to the page.
struct ChooseLanguage: Sendable {
    func handle(_ request: Request, _ exchange: Exchange) throws -> Response {
        let query = try request.queryValues()
        guard let language = query["to"].flatMap(Language.init(rawValue:)) else { throw Refusal.malformed }
        let page = query["at"].flatMap(PagePath.init(rawValue:)) ?? .start
        return .seeOther(
            page.location, cookies: [try HostCookie(Language.cookie, language.rawValue, maxAge: Language.seconds)])
    }
}

import Credentials
import Foundation
import OfficerIdentity
import Pages
import TestSupport
import Testing

@testable import HealthPortal

@Suite("Views") struct ViewTests {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static func portal(authority: String = "Gesundheitsamt Musterstadt", notice: String? = nil) throws -> Portal {
        Portal(
            authority: authority, contact: try #require(Contact("mailto:portal@example.org")), notice: notice,
            time: try #require(LocalTime(zone: "Europe/Berlin")))
    }

    static func frame(_ language: Language, name: String = "Anna Beispiel", portal: Portal? = nil) throws -> Frame {
        Frame(
            portal: try portal ?? self.portal(), language: language, page: .start,
            officer: .init(name: name, roles: [.hotline, .statistics, .operations], secondsLeft: 1_700))
    }

    static func code(
        _ text: String? = "K7MWPX2QZD", kind: TeleTANKind = .test, isTraining: Bool = false, minutes: Double = 60,
        authority: String? = nil, canBeShownAgain: Bool = false
    ) -> CurrentCode {
        CurrentCode(
            text: text, kind: kind, authority: authority.map { .init(number: "101", name: $0) },
            validUntil: now.addingTimeInterval(minutes * 60), now: now, secondsShown: 600,
            canBeShownAgain: canBeShownAgain, isTraining: isTraining)
    }

    static func codesPage(authority: String = "Berlin Mitte", remaining: Int? = nil, isTraining: Bool = false)
        -> CodesPage
    {
        CodesPage(
            forms: [.init(kind: .test, number: "f0"), .init(kind: .event, number: "f1")], remaining: remaining,
            isLastShown: true, authorities: [Authority(number: "101", name: authority)], isTraining: isTraining)
    }

    /// Every page in every state.
    static func pages(_ frame: Frame, hostile: String = "Berlin Mitte") -> [(name: String, html: HTML)] {
        let refusals: [(String, Refusal)] = [
            ("malformed", .malformed), ("other-host", .otherHost), ("not-signed-in", .notSignedIn),
            ("no-role", .noRole),
            ("other-site", .otherSite),
            ("not-found", .notFound), ("form-used", .formUsed), ("entry-used", .entryUsed), ("own-entry", .ownEntry),
            ("decided", .decided), ("full", .full),
            ("too-many", .tooMany(until: now.addingTimeInterval(900))),
            ("provider-away", .providerAway), ("misconfigured", .misconfigured),
            ("verification-away", .verificationAway),
            ("sign-in-failed", .signInFailed),
            ("sign-in-refused", .signInRefused), ("unavailable", .unavailable),
        ]
        return [
            ("start", Frame(portal: frame.portal, language: frame.language, page: .start, officer: nil).startPage()),
            ("codes-training", frame.codesPage(codesPage(authority: hostile, isTraining: true))),
            ("codes", frame.codesPage(codesPage(authority: hostile))),
            ("codes-remaining", frame.codesPage(codesPage(authority: hostile, remaining: 3))),
            ("code-test", frame.currentCodePage(code())),
            ("code-event", frame.currentCodePage(code(kind: .event, minutes: 2_880, authority: hostile))),
            ("code-training", frame.currentCodePage(code(isTraining: true))),
            ("code-expired", frame.currentCodePage(code(minutes: 0))),
            ("code-hidden", frame.currentCodePage(code(nil, canBeShownAgain: true))),
            ("code-hidden-for-good", frame.currentCodePage(code(nil))),
            (
                "statistics-short",
                frame.statisticsPage(StatisticsPageTests.released, in: .short, today: StatisticsPageTests.today)
            ),
            (
                "statistics-long",
                frame.statisticsPage(StatisticsPageTests.released, in: .long, today: StatisticsPageTests.today)
            ), ("statistics-none", frame.statisticsPage([], in: .long, today: StatisticsPageTests.today)),
            ("help", frame.helpPage()), ("accessibility", frame.accessibilityPage()), ("privacy", frame.privacyPage()),
            ("venues", frame.venuesPage(VenuePageSamples.list)),
            ("venues-none", frame.venuesPage(VenuePageSamples.none)),
            ("venue-form", frame.venueFormPage(VenuePageSamples.form(hostile))),
            ("venue-form-wrong", frame.venueFormPage(VenuePageSamples.form(hostile, problem: .number))),
            ("venue-import", frame.venueImportPage(VenuePageSamples.importPage(hostile))),
            (
                "status",
                frame.statusPage([
                    ServiceState(service: .codes, state: .closed), ServiceState(service: .signIn, state: .away),
                    ServiceState(service: .codes, state: .ready),
                ])
            ),
        ] + refusals.map { ("refusal-\($0.0)", frame.refusalPage($0.1, now: now)) }
    }

    @Test(
        "a hostile name of an officer or an authority adds no element and no attribute",
        arguments: [
            #""><script>alert(1)</script>"#, #"a"\#u{301} onmouseover=alert(1) x="#, "'\u{200D}><img src=x>",
            "\u{202E}</bdi><b>", "</title></head><body>", "{{7*7}} ${7*7} <!-- -->",
            String(repeating: "<\"", count: 5_000),
        ])
    func hostileNames(name: String) throws {
        for language in Language.allCases {
            let benign = Self.pages(try Self.frame(language))
            let frame = try Self.frame(language, name: name, portal: Self.portal(authority: name, notice: "x"))
            let harmless = try Self.frame(language, portal: Self.portal(notice: "x"))
            for ((page, hostile), (_, reference)) in zip(
                Self.pages(frame, hostile: name), Self.pages(harmless))
            {
                #expect(Self.tags(hostile) == Self.tags(reference), "\(page)")
            }
            #expect(benign.count > 20)
        }
    }

    /// The tags of a page, each without its attributes' values.
    private static func tags(_ html: HTML) -> [String] {
        let text = String(decoding: html.bytes, as: UTF8.self)
        return text.matches(of: /<[^>]*>/.matchingSemantics(.unicodeScalar)).map { match in
            String(match.output).replacing(/"[^"]*"/.matchingSemantics(.unicodeScalar), with: "\"\"")
        }
    }

    @Test("every page has one main heading, one main part, its language and unique identifiers, and nothing inline")
    func structure() throws {
        for language in Language.allCases {
            for (name, html) in Self.pages(try Self.frame(language)) {
                let text = String(decoding: html.bytes, as: UTF8.self)
                #expect(text.hasPrefix("<!doctype html>\n<html lang=\"\(language.rawValue)\">"), "\(name)")
                #expect(text.matches(of: #/<h1[ >]/#).count == 1, "\(name)")
                #expect(text.matches(of: #/<main /#).count == 1, "\(name)")
                #expect(!text.contains(#/\ style=|\ on[a-z]+=|<style|<script>|javascript:/#), "\(name)")
                let ids = text.matches(of: #/\ id="([^"]*)"/#).map { String($0.output.1) }
                #expect(Set(ids).count == ids.count, "\(name)")
                for form in text.matches(of: #/<form .*?<\/form>/#) {
                    #expect(String(form.output).matches(of: #/<button /#).count == 1, "\(name)")
                }
            }
        }
    }

    @Test("no text of the German pages stands in the English ones, but names and symbols")
    func translated() throws {
        let same: Set<String> = [
            "Gesundheitsamt Musterstadt", "Status", "Berlin Mitte (101)", "DIN 5009 (2022)", "International",
            "portal@example.org",
            "Anna Beispiel", "Cookies", "Tests", "CSV", "JSON", "Berlin Mitte", "Liechtenstein", "Malta", "Portugal",
            "# venue_id, start_time, end_time, message_type, optional_parameter",
        ]
        let texts = try Language.allCases.map { language in
            Set(Self.pages(try Self.frame(language)).flatMap { Self.texts($0.html) })
        }
        // The table of spelling words stands in both.
        let words = Set(
            SpellingAlphabet.allCases.flatMap { alphabet in TeleTAN.alphabet.map { alphabet.word(for: $0) } })
        let both = texts[0].intersection(texts[1]).subtracting(same).subtracting(words).filter { $0.count > 1 }
        #expect(both.isEmpty)
    }

    private static func texts(_ html: HTML) -> [String] {
        let body = String(decoding: html.bytes, as: UTF8.self).drop { $0 != ">" }
        return body.matches(of: #/>([^<]+)</#).map { $0.output.1.trimmingCharacters(in: .whitespacesAndNewlines) }
            .filter { $0.contains(#/\p{L}/#) }
    }

    @Test("a code stands in the page that shows it, once for reading out and once in the table, and in no title")
    func code() throws {
        for (name, html) in Self.pages(try Self.frame(.german)) {
            let text = String(decoding: html.bytes, as: UTF8.self)
            let characters = text.matches(of: #/<span class="character">(.)<\/span>/#).map { String($0.output.1) }
                .joined()
            let shows = ["code-test", "code-event", "code-training", "code-expired"].contains(name)
            #expect(characters == (shows ? "K7MWPX2QZD" : ""), "\(name)")
            #expect(!text.contains("K7MWPX2QZD"), "\(name)")
        }
    }

    @Test("each page, with its style sheet and its script, has at most 60 kB, but the one of all figures")
    func sizes() throws {
        let files = [Assets.style, Assets.script].map(\.bytes.count).reduce(0, +)
        for (name, html) in Self.pages(try Self.frame(.german)) where !name.hasPrefix("statistics") {
            let own = name.hasPrefix("venue") ? Assets.venues.bytes.count : 0
            #expect(html.bytes.count + files + own <= 60_000, "\(name)")
        }
    }

    @Test("each script has at most 150 lines")
    func script() {
        for script in [Assets.script, Assets.venues] {
            #expect(String(decoding: script.bytes, as: UTF8.self).split(separator: "\n").count <= 150)
        }
    }
}

@Suite("Words") struct WordTests {
    @Test("every character of a code has a word of its own in each alphabet", arguments: SpellingAlphabet.allCases)
    func alphabet(_ alphabet: SpellingAlphabet) {
        let words = TeleTAN.alphabet.map { alphabet.word(for: $0) }
        #expect(Set(words).count == TeleTAN.alphabet.count)
        for (character, word) in zip(TeleTAN.alphabet, words) {
            #expect(word.count > 1)
            if character.isLetter { #expect(word.first == character) }
        }
    }

    @Test("a page leads to the other language, and nowhere if the authority offers no other")
    func otherLanguage() throws {
        func page(_ languages: [Language]) throws -> String {
            let portal = Portal(
                authority: "Gesundheitsamt Musterstadt", contact: try #require(Contact("mailto:portal@example.org")),
                notice: nil, languages: Languages(offered: languages),
                time: try #require(LocalTime(zone: "Europe/Berlin")))
            return String(decoding: try ViewTests.frame(languages[0], portal: portal).helpPage().bytes, as: UTF8.self)
        }
        #expect(try page([.german, .english]).contains("to=en"))
        #expect(try page([.english, .german]).contains("to=de"))
        #expect(try !page([.english]).contains("/language?"))
    }

    @Test(
        "the browser's preferred language is taken, and German if it names none of ours",
        arguments: [
            (nil, Language.german), ("en", .english), ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7", .english),
            ("de-AT,en;q=0.9", .german),
            ("en;q=0.1, de;q=0.2", .german), ("EN-GB", .english), ("*", .german), ("en;q=0", .german),
            ("en;q=x,de", .german),
            ("en,de", .english), (";;,,=", .german),
        ])
    func language(field: String?, expected: Language) {
        #expect((Languages.all.accepted(by: field ?? "") ?? .german) == expected)
    }

    @Test(
        "numbers are grouped by three digits",
        arguments: [
            (0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_234, "-1,234"),
        ])
    func grouping(value: Int, text: String) {
        #expect(Words.grouped(value, separator: ",") == text)
    }

    @Test("a time is the authority's, with the day if it isn't today, also across a change of the clocks")
    func time() throws {
        let berlin = try #require(LocalTime(zone: "Europe/Berlin"))
        // 2026-10-25T00:30:00Z: 02:30 in summer; two hours later the clocks are back.
        let before = Date(timeIntervalSince1970: 1_792_888_200)
        #expect(berlin.time(before, now: before, in: .german) == "02:30 Uhr")
        #expect(berlin.time(before.addingTimeInterval(7_200), now: before, in: .english) == "03:30")
        #expect(
            berlin.time(before.addingTimeInterval(2 * 86_400), now: before, in: .german)
                == "27. Oktober 2026, 01:30 Uhr")
        #expect(LocalTime(zone: "Mars/Olympus") == nil)
    }
}

import Credentials
import FoundationEssentials
import Pages

extension Frame {
    /// The code to read out, its validity, and what the person does next.
    func currentCodePage(_ code: CurrentCode) -> HTML {
        if let text = code.text { return shown(text, code) }
        return withoutCode(
            code.canBeShownAgain ? words.currentCode.hidden : words.currentCode.hiddenForGood,
            canBeShownAgain: code.canBeShownAgain)
    }

    private func withoutCode(_ text: String, canBeShownAgain: Bool) -> HTML {
        document(title: text) {
            tag(.h1) { text }
            tag(.div, .class("actions")) {
                if canBeShownAgain {
                    tag(.form, .set(.method, "post"), .action("/codes/current/show")) {
                        tag(.button, .set(.type, "submit")) { words.currentCode.showAgain }
                    }
                }
                another
            }
        }
    }

    private func shown(_ text: String, _ code: CurrentCode) -> HTML {
        let kind = code.kind == .test ? words.currentCode.test : words.currentCode.event
        let title = words.currentCode.title(kind)
        return document(title: title) {
            // The heading has the focus, so that Enter after making a code does nothing.
            tag(.h1, .id("title"), .set(.tabindex, -1), .flag(.autofocus)) { title }
            if code.isTraining { tag(.p, .class("notice warning")) { words.currentCode.training } }
            tag(.div, .id("code"), .set(.dataSeconds, code.secondsShown), .set(.dataText, words.currentCode.hidden)) {
                characters(text)
            }
            tag(.p, .class("print-note")) { words.currentCode.printNote }
            validity(code)
            if let authority = code.authority {
                tag(.p) {
                    "\(words.currentCode.authority): "
                    tag(.bdi) { "\(authority.name) (\(authority.number))" }
                }
            }
            tag(.div, .class("actions")) {
                tag(.form, .set(.method, "post"), .action("/codes/current/hide")) {
                    tag(.button, .class("primary"), .set(.type, "submit")) { words.currentCode.told }
                }
                another
            }
            tag(.section, .class("script"), .set(.ariaLabelledby, "next")) {
                tag(.h2, .id("next")) { words.currentCode.nextTitle }
                tag(.ol) { for step in words.currentCode.next { tag(.li) { step } } }
            }
            tag(.details, .id("spelling")) {
                tag(.summary) { words.currentCode.tableTitle }
                tag(
                    .div, .class("scroll"), .set(.role, "region"), .set(.tabindex, 0),
                    .set(.ariaLabel, words.currentCode.tableTitle)
                ) { spellingTable(text) }
            }
        }
    }

    private var another: HTML {
        tag(.a, .class("button quiet"), .href(PagePath.codes.location)) { words.currentCode.another }
    }

    /// Each character is an element of its own with its word: a screen reader says one after the other.
    private func characters(_ text: String) -> HTML {
        let alphabet: SpellingAlphabet = language == .german ? .german : .international
        return tag(.ol, .class("code"), .set(.ariaLabel, words.currentCode.characters)) {
            for (index, character) in text.enumerated() {
                tag(.li, .class(index == 3 || index == 6 ? "gap" : "tile")) {
                    tag(.span, .class("character")) { "\(character)" }
                    tag(.span, .class("word")) { alphabet.word(for: character) }
                }
            }
        }
    }

    @HTMLBuilder private func validity(_ code: CurrentCode) -> HTML {
        if code.secondsLeft == 0 {
            tag(.p, .class("validity")) { words.currentCode.expired }
        } else {
            tag(.p, .class("validity")) {
                tag(.strong) {
                    words.currentCode.validUntil(portal.time.time(code.validUntil, now: code.now, in: words))
                }
                if code.kind == .test {
                    " ("
                    // The script counts from here by the browser's monotonic clock: clocks in call centres are wrong.
                    tag(
                        .span, .id("left"), .set(.dataSeconds, code.secondsLeft),
                        .set(.dataText, words.currentCode.minutesLeftTexts),
                        .set(.dataWarning, words.currentCode.expired)
                    ) { words.currentCode.minutesLeft((code.secondsLeft + 59) / 60) }
                    ")"
                }
            }
            tag(.p, .id("announcement"), .class("unseen"), .set(.role, "status"))
        }
    }

    private func spellingTable(_ text: String) -> HTML {
        let columns: [(String, SpellingAlphabet, String)] = [
            (words.currentCode.words, .german, "de"), (words.currentCode.formerWords, .formerGerman, "de"),
            (words.currentCode.internationalWords, .international, "en"),
        ]
        return tag(.table) {
            tag(.caption, .class("unseen")) { words.currentCode.tableTitle }
            tag(.thead) {
                tag(.tr) {
                    tag(.th, .set(.scope, "col")) { words.currentCode.character }
                    for (title, _, _) in columns { tag(.th, .set(.scope, "col")) { title } }
                }
            }
            tag(.tbody) {
                for character in text {
                    tag(.tr) {
                        tag(.th, .set(.scope, "row")) { "\(character)" }
                        for (_, alphabet, language) in columns {
                            tag(.td, .lang(language)) { alphabet.word(for: character) }
                        }
                    }
                }
            }
        }
    }
}

extension Words.CurrentCode {
    /// What the script shows while it counts: for one minute, and for `#` minutes.
    fileprivate var minutesLeftTexts: String { "\(minutesLeft(1))|\(minutesLeft(2).replacing("2", with: "#"))" }
}

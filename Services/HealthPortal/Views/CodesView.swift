import Credentials
import Pages

/// What the page with the forms shows.
struct CodesPage: Sendable {
    /// The kinds that the officer's roles allow.
    let kinds: Set<TeleTANKind>
    /// The number that makes each form usable once.
    let formNumber: String
    /// How many codes the officer can still make in this hour, if that should be said.
    let remaining: Int?
    /// Whether a code can still be shown.
    let hasCurrentCode: Bool
    /// The health authorities that may be in charge of an event.
    let authorities: [EventAuthority]
}

/// A health authority that may be in charge of an event, from the operator's list.
struct EventAuthority: Sendable, Hashable, Codable {
    /// Its number, unique in the list.
    let number: String
    let name: String
}

extension Frame {
    /// The call script, and one form for each kind of code.
    func codesPage(_ content: CodesPage) -> HTML {
        page(.codes, title: words.codes.title) {
            tag(.h1) { words.codes.title }
            tag(.p, .class("lead")) { words.codes.lead }
            if content.hasCurrentCode {
                tag(.p, .class("notice")) {
                    "\(words.codes.stillShown) "
                    tag(.a, .href(Place.currentCode.location)) { words.codes.showLast }
                }
            }
            if let remaining = content.remaining { tag(.p, .class("notice")) { words.codes.remaining(remaining) } }
            tag(.div, .class("columns")) {
                tag(.div, .class("cards")) {
                    if content.kinds.contains(.test) { testForm(content) }
                    if content.kinds.contains(.event) { eventForm(content) }
                    trainingForm(content)
                }
                tag(.section, .class("script"), .set(.ariaLabelledby, "script")) {
                    tag(.h2, .id("script")) { words.codes.scriptTitle }
                    tag(.ol) { for step in words.codes.script { tag(.li) { step } } }
                }
            }
        }
    }

    private func testForm(_ content: CodesPage) -> HTML {
        card("test", words.codes.testTitle, words.codes.testText) {
            form(content, kind: "TEST") {
                tag(.button, .class("primary"), .set(.type, "submit")) { words.codes.testButton }
            }
        }
    }

    private func eventForm(_ content: CodesPage) -> HTML {
        card("event", words.codes.eventTitle, words.codes.eventText) {
            form(content, kind: "EVENT") {
                tag(.label, .set(.for, "authority")) { words.codes.eventAuthority }
                tag(.select, .id("authority"), .set(.name, "authority"), .flag(.required)) {
                    tag(.option, .set(.value, "")) { words.codes.eventChoose }
                    for authority in content.authorities {
                        tag(.option, .set(.value, authority.number)) { "\(authority.name) (\(authority.number))" }
                    }
                }
                tag(.button, .class("primary"), .set(.type, "submit")) { words.codes.eventButton }
            }
        }
    }

    private func trainingForm(_ content: CodesPage) -> HTML {
        card("training", words.codes.trainingTitle, words.codes.trainingText) {
            form(content, kind: "TRAINING") {
                tag(.button, .set(.type, "submit")) { words.codes.trainingButton }
            }
        }
    }

    private func card(_ id: String, _ title: String, _ text: String, @HTMLBuilder form: () -> HTML) -> HTML {
        tag(.section, .class("card"), .set(.ariaLabelledby, id)) {
            tag(.h2, .id(id)) { title }
            tag(.p) { text }
            form()
        }
    }

    /// Each form has one button: in a form with several, Enter would press the first.
    private func form(_ content: CodesPage, kind: String, @HTMLBuilder fields: () -> HTML) -> HTML {
        tag(.form, .set(.method, "post"), .action(Place.codes.location)) {
            tag(.input, .set(.type, "hidden"), .set(.name, "form"), .set(.value, content.formNumber))
            tag(.input, .set(.type, "hidden"), .set(.name, "kind"), .set(.value, kind))
            fields()
        }
    }
}

import Credentials
import Pages

extension Frame {
    /// The call script, and one form for each kind of code.
    func codesPage(_ content: CodesPage) -> HTML {
        document(title: words.codes.title) {
            tag(.h1) { words.codes.title }
            tag(.p, .class("lead")) { words.codes.lead }
            if content.isTraining { tag(.p, .class("notice warning")) { words.codes.trainingNotice } }
            if content.isLastShown {
                tag(.p, .class("notice")) {
                    "\(words.codes.stillShown) "
                    tag(.a, .href(PagePath.currentCode.location)) { words.codes.showLast }
                }
            }
            if let remaining = content.remaining { tag(.p, .class("notice")) { words.codes.remaining(remaining) } }
            tag(.div, .class("columns")) {
                tag(.div, .class("cards")) {
                    for form in content.forms { card(form, content) }
                    training(content)
                }
                tag(.section, .class("script"), .set(.ariaLabelledby, "script")) {
                    tag(.h2, .id("script")) { words.codes.scriptTitle }
                    tag(.ol) { for step in words.codes.script { tag(.li) { step } } }
                }
            }
        }
    }

    private func card(_ form: CodesPage.Form, _ content: CodesPage) -> HTML {
        let isTest = form.kind == .test
        let id = form.kind.rawValue.lowercased()
        return tag(.section, .class("card"), .set(.ariaLabelledby, id)) {
            tag(.h2, .id(id)) { isTest ? words.codes.testTitle : words.codes.eventTitle }
            tag(.p) { isTest ? words.codes.testText : words.codes.eventText }
            // Each form has one button: in a form with several, Enter would press the first.
            tag(.form, .set(.method, "post"), .action(PagePath.codes.location)) {
                hidden("kind", form.kind.rawValue)
                hidden("form", form.number)
                if content.isTraining { hidden("training", "1") }
                if !isTest { authorities(content.authorities) }
                tag(.button, .class("primary"), .set(.type, "submit")) {
                    switch (content.isTraining, isTest) {
                    case (true, _): words.codes.trainingButton
                    case (false, true): words.codes.testButton
                    case (false, false): words.codes.eventButton
                    }
                }
            }
        }
    }

    @HTMLBuilder private func authorities(_ authorities: [Authority]) -> HTML {
        tag(.label, .set(.for, "authority")) { words.codes.eventAuthority }
        tag(.select, .id("authority"), .set(.name, "authority"), .flag(.required)) {
            tag(.option, .set(.value, "")) { words.codes.eventChoose }
            for authority in authorities {
                tag(.option, .set(.value, authority.number)) { "\(authority.name) (\(authority.number))" }
            }
        }
    }

    /// Switches practice on or off.
    private func training(_ content: CodesPage) -> HTML {
        tag(.section, .class("card"), .set(.ariaLabelledby, "training")) {
            tag(.h2, .id("training")) { words.codes.trainingTitle }
            tag(.p) { words.codes.trainingText }
            tag(.p) {
                if content.isTraining {
                    tag(.a, .href(PagePath.codes.location)) { words.codes.trainingEnd }
                } else {
                    tag(.a, .href(PagePath.training)) { words.codes.trainingStart }
                }
            }
        }
    }

    private func hidden(_ name: String, _ value: String) -> HTML {
        tag(.input, .set(.type, "hidden"), .set(.name, name), .set(.value, value))
    }
}

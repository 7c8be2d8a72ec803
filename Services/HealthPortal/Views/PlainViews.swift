import Credentials
import Pages

/// The pages without design.
enum Views {
    static func start(in frame: Frame) -> HTML {
        document(frame, "Start") { tag(.a, .href(address("/login"))) { "Sign in" } }
    }

    static func codes(_ page: CodesPage, in frame: Frame) -> HTML {
        document(frame, "Codes") {
            for form in page.forms {
                tag(.form, .set(.method, "post"), .action(PagePath.codes.location)) {
                    hidden("kind", form.kind.rawValue)
                    hidden("form", form.number)
                    if page.isTraining { hidden("training", "1") }
                    if form.kind == .event {
                        tag(.select, .set(.name, "authority")) {
                            for authority in page.authorities {
                                tag(.option, .set(.value, authority.number)) { authority.name }
                            }
                        }
                    }
                    tag(.button) { form.kind.rawValue }
                }
            }
            if let remaining = page.remaining { tag(.p, .id("remaining")) { "\(remaining)" } }
            if page.isLastShown { tag(.a, .id("last"), .href(PagePath.currentCode.location)) { "last" } }
        }
    }

    static func currentCode(_ code: CurrentCode, in frame: Frame) -> HTML {
        document(frame, "Code") {
            if let text = code.text { tag(.output, .id("code")) { text } }
            tag(.p, .id("kind")) { code.kind.rawValue }
            if let authority = code.authority { tag(.p, .id("authority")) { authority.name } }
            tag(.p, .id("left")) { "\(code.secondsLeft)" }
            if code.isTraining { tag(.p, .id("training")) { "training" } }
            if code.canBeShownAgain { tag(.p, .id("again")) { "show again" } }
        }
    }

    static func refusal(_ refusal: Refusal, in frame: Frame) -> HTML {
        document(frame, "Refused") { tag(.p, .id("refusal")) { "\(refusal)" } }
    }

    static func help(in frame: Frame) -> HTML { document(frame, "Help") { HTML.empty } }
    static func accessibility(in frame: Frame) -> HTML { document(frame, "Accessibility") { HTML.empty } }
    static func privacy(in frame: Frame) -> HTML { document(frame, "Privacy") { HTML.empty } }

    private static func document(_ frame: Frame, _ title: String, @HTMLBuilder content: () -> HTML) -> HTML {
        HTML.document(language: frame.language.rawValue) {
            tag(.head) { tag(.title) { title } }
            tag(.body) {
                if let officer = frame.officer { tag(.p, .id("officer")) { officer.name } }
                content()
            }
        }
    }

    private static func hidden(_ name: String, _ value: String) -> HTML {
        tag(.input, .set(.type, "hidden"), .set(.name, name), .set(.value, value))
    }

    private static func address(_ path: String) -> Location {
        (try? Location(path: path)) ?? PagePath.start.location
    }
}

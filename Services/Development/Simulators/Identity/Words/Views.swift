import HTTPContract
import HTTPTypes
import Pages
import Serving

/// The provider's pages: plain forms that work with a keyboard alone, without scripts, and at any width.
struct Views: Sendable {
    /// To which a form's answer redirects, in the end.
    private let clients: [Origin]
    let style: Asset

    init(clientOrigins: [String]) throws(MalformedMessage) {
        style = try Asset("identity", "css", type: .css, bytes: PackageResources.style_css)
        clients = try clientOrigins.map { origin throws(MalformedMessage) in try Origin(origin) }
    }

    func password(
        number: String, words: Words, isWrong: Bool = false, cookies: [HostCookie] = []
    ) -> Response {
        form(words.signIn, words, action: "/log-in", number, problem: isWrong ? words.wrongPassword : nil, cookies) {
            tag(.p) {
                tag(.label, .set(.for, "user")) { words.user }
                tag(
                    .input, .id("user"), .set(.name, "user"), .set(.autocomplete, "username"), .flag(.required),
                    .flag(.autofocus))
            }
            tag(.p) {
                tag(.label, .set(.for, "password")) { words.password }
                tag(
                    .input, .id("password"), .set(.name, "password"), .set(.type, "password"),
                    .set(.autocomplete, "current-password"), .flag(.required))
            }
        }
    }

    func secondFactor(number: String, words: Words, isWrong: Bool = false) -> Response {
        form(words.secondFactor, words, action: "/second-factor", number, problem: isWrong ? words.wrongCode : nil, [])
        {
            tag(.p) {
                tag(.label, .set(.for, "code")) { words.code }
                tag(
                    .input, .id("code"), .set(.name, "code"), .set(.inputmode, "numeric"),
                    .set(.autocomplete, "one-time-code"), .set(.ariaDescribedby, "hint"), .flag(.required),
                    .flag(.autofocus))
            }
            tag(.p, .id("hint")) { words.codeHint }
        }
    }

    /// The client or its address is unknown. Nobody is sent there.
    func unknownClient() -> Response {
        message("This sign-in can't begin", "The program that sent you here isn't registered with this address.")
    }

    func tooLate() -> Response {
        message("Please begin again", "This sign-in has ended, or began in another browser. Go back to the portal.")
    }

    func logOutRefused() -> Response {
        message("Not signed out", "The program that sent you here couldn't prove who signs out. Sign out there.")
    }

    func loggedOut() -> Response {
        message("Signed out", "You are signed out.", status: .ok, cookies: [.removed("identity")])
    }

    func refusal(status: HTTPResponse.Status) -> Response {
        message("That didn't work", "The provider can't answer this request.", status: status)
    }

    private func message(
        _ title: String, _ text: String, status: HTTPResponse.Status = .badRequest, cookies: [HostCookie] = []
    ) -> Response {
        .page(page(title, .english) { tag(.p) { text } }, status: status, cookies: cookies)
    }

    private func form(
        _ title: String, _ words: Words, action: Location, _ number: String, problem: String?, _ cookies: [HostCookie],
        @HTMLBuilder fields: () -> HTML
    ) -> Response {
        let html = page(title, words) {
            if let problem { tag(.p, .set(.role, "alert"), .class("problem")) { problem } }
            tag(.form, .set(.method, "post"), .action(action)) {
                tag(.input, .set(.type, "hidden"), .set(.name, "number"), .set(.value, number))
                fields()
                tag(.p) { tag(.button, .set(.type, "submit")) { words.next } }
            }
        }
        return .page(html, cookies: cookies, formTargets: clients)
    }

    private func page(_ title: String, _ words: Words, @HTMLBuilder content: () -> HTML) -> HTML {
        HTML.document(language: words.tag) {
            tag(.head) {
                tag(.meta, .set(.charset, "utf-8"))
                tag(.meta, .set(.name, "viewport"), .set(.content, "width=device-width, initial-scale=1"))
                tag(.title) { title }
                tag(.link, .set(.rel, "stylesheet"), .href(style.location))
            }
            tag(.body) {
                tag(.main) {
                    tag(.h1) { title }
                    content()
                }
                tag(.footer) { tag(.p) { words.simulated } }
            }
        }
    }
}

import HTTPContract
import Pages

extension Frame {
    /// A whole page around its content.
    ///
    /// - Parameters:
    ///   - title: of the browser's window; the content has its own heading.
    ///   - script: one that only some pages need. It comes first, so that it sees a form before the script of all pages does.
    func document(title: String, script: Asset? = nil, @HTMLBuilder content: () -> HTML) -> HTML {
        HTML.document(language: language.rawValue) {
            tag(.head) {
                tag(.meta, .set(.charset, "utf-8"))
                tag(.meta, .set(.name, "viewport"), .set(.content, "width=device-width, initial-scale=1"))
                tag(.meta, .set(.name, "color-scheme"), .set(.content, "light dark"))
                tag(.title) { "\(title) – \(words.frame.product)" }
                tag(.link, .set(.rel, "icon"), .href(Assets.icon.location), .set(.type, "image/svg+xml"))
                tag(
                    .link, .set(.rel, "stylesheet"), .href(Assets.style.location),
                    .set(.integrity, Assets.style.integrity)
                )
                if let script {
                    tag(.script, .src(script.location), .set(.integrity, script.integrity), .flag(.defer))
                }
                tag(.script, .src(Assets.script.location), .set(.integrity, Assets.script.integrity), .flag(.defer))
            }
            tag(.body) {
                tag(.a, .class("skip"), .href(fragment: "content")) { words.frame.skip }
                header
                if let officer { sessionWarning(officer) }
                notices
                tag(.main, .id("content"), content: content)
                footer
            }
        }
    }

    private var header: HTML {
        tag(.header, .class("band")) {
            tag(.div, .class("inner")) {
                tag(.a, .class("brand"), .href(PagePath.start.location)) {
                    tag(.strong) { words.frame.product }
                    tag(.span, .class("authority")) { tag(.bdi) { portal.authority } }
                }
                tag(.div, .class("account")) {
                    languageLink
                    if let officer {
                        tag(.span, .class("officer")) { words.frame.signedInAs(officer.name) }
                        tag(.form, .set(.method, "post"), .action("/logout")) {
                            tag(.button, .class("quiet"), .set(.type, "submit")) { words.frame.signOut }
                        }
                    }
                }
            }
            if let pages = officer.map({ PagePath.allowed(to: $0.roles) }), !pages.isEmpty {
                tag(.nav, .class("inner"), .set(.ariaLabel, words.frame.navigation)) {
                    tag(.ul) {
                        for target in pages { tag(.li) { link(to: target) } }
                    }
                }
            }
        }
    }

    private var languageLink: HTML {
        guard let other = portal.languages.offered.first(where: { $0 != language }) else { return HTML.empty }
        // Both values come from closed lists.
        let location = (try? Location(path: "/language", query: ["to": other.rawValue, "at": page.rawValue])) ?? "/"
        return tag(.a, .href(location), .lang(other.rawValue), .set(.rel, "alternate")) { words.frame.otherLanguage }
    }

    private func link(to target: PagePath) -> HTML {
        let isHere =
            target == page || target == .codes && page == .currentCode
            || target == .venues && [.newVenue, .importVenues].contains(page)
        if isHere { return tag(.a, .href(target.location), .set(.ariaCurrent, "page")) { title(of: target) } }
        return tag(.a, .href(target.location)) { title(of: target) }
    }

    private func title(of page: PagePath) -> String {
        switch page {
        case .start: words.start.title
        case .codes, .currentCode: words.codes.title
        case .venues, .newVenue, .importVenues: words.venues.title
        case .statistics: words.statistics.title
        case .status: words.status.title
        case .help: words.help.title
        case .accessibility: words.accessibility.title
        case .privacy: words.privacy.title
        }
    }

    /// Hidden until the script shows it two minutes before the session ends. The link requests the page again, which is all that
    /// keeps a session alive (WCAG 2.2, 2.2.1).
    private func sessionWarning(_ officer: Officer) -> HTML {
        tag(
            .div, .id("session"), .class("notice warning"), .set(.role, "alert"),
            .set(.dataSeconds, officer.secondsLeft),
            .flag(.hidden)
        ) {
            tag(.p) {
                "\(words.frame.sessionEnds) "
                tag(.a, .href(page.location)) { words.frame.stay }
            }
        }
    }

    @HTMLBuilder private var notices: HTML {
        if let notice = portal.notice {
            tag(.section, .class("notices"), .set(.ariaLabel, words.status.notices)) {
                tag(.p, .class("notice")) { notice }
            }
        }
    }

    private var footer: HTML {
        tag(.footer) {
            tag(.div, .class("inner")) {
                for page in [PagePath.help, .accessibility, .privacy] {
                    tag(.a, .href(page.location)) { title(of: page) }
                }
                tag(.a, .href(contact: portal.contact)) { words.contact }
            }
        }
    }
}

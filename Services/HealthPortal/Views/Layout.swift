import HTTPContract
import Pages

extension Frame {
    /// A whole page around its content.
    ///
    /// - Parameters:
    ///   - place: where the page is, for the navigation and the link to the other language; nil for an error.
    ///   - title: heading and title of the page.
    func page(_ place: Place?, title: String, @HTMLBuilder content: () -> HTML) -> HTML {
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
                tag(.script, .src(Assets.script.location), .set(.integrity, Assets.script.integrity), .flag(.defer))
            }
            tag(.body) {
                tag(.a, .class("skip"), .href(fragment: "content")) { words.frame.skip }
                header(place)
                if let officer { sessionWarning(officer, place) }
                notices
                tag(.main, .id("content"), content: content)
                footer
            }
        }
    }

    @HTMLBuilder private func header(_ place: Place?) -> HTML {
        tag(.header, .class("band")) {
            tag(.div, .class("inner")) {
                tag(.a, .class("brand"), .href(Place.start.location)) {
                    tag(.strong) { words.frame.product }
                    tag(.span, .class("authority")) { tag(.bdi) { authority.name } }
                }
                tag(.div, .class("account")) {
                    languageLink(place)
                    if let officer {
                        tag(.span, .class("officer")) { words.frame.signedInAs(officer.name) }
                        tag(.form, .set(.method, "post"), .action("/logout")) {
                            tag(.button, .class("quiet"), .set(.type, "submit")) { words.frame.signOut }
                        }
                    }
                }
            }
            if let officer, !officer.places.isEmpty {
                tag(.nav, .class("inner"), .set(.ariaLabel, words.frame.navigation)) {
                    tag(.ul) {
                        for target in officer.places {
                            tag(.li) { link(to: target, from: place) }
                        }
                    }
                }
            }
        }
    }

    private func languageLink(_ place: Place?) -> HTML {
        let other: Language = language == .german ? .english : .german
        let target = (place == nil || place == .currentCode ? .start : place ?? .start)
        // Both values come from closed lists.
        let location = (try? Location(path: "/language", query: ["to": other.rawValue, "at": target.rawValue])) ?? "/"
        return tag(.a, .href(location), .lang(other.rawValue), .set(.rel, "alternate")) { words.frame.otherLanguage }
    }

    private func link(to target: Place, from place: Place?) -> HTML {
        let isHere = target == place || target == .codes && place == .currentCode
        if isHere { return tag(.a, .href(target.location), .set(.ariaCurrent, "page")) { title(of: target) } }
        return tag(.a, .href(target.location)) { title(of: target) }
    }

    private func title(of place: Place) -> String {
        switch place {
        case .start: words.start.title
        case .codes, .currentCode: words.codes.title
        case .statistics: words.statistics.title
        case .status: words.status.title
        case .help: words.help.title
        case .accessibility: words.accessibility.title
        case .privacy: words.privacy.title
        }
    }

    /// Hidden until the script shows it two minutes before the session ends. The link requests the page again, which is all that
    /// keeps a session alive (WCAG 2.2, 2.2.1).
    private func sessionWarning(_ officer: SignedIn, _ place: Place?) -> HTML {
        tag(
            .div, .id("session"), .class("notice warning"), .set(.role, "alert"),
            .set(.dataSeconds, officer.secondsLeft),
            .flag(.hidden)
        ) {
            tag(.p) {
                "\(words.frame.sessionEnds) "
                tag(.a, .href((place ?? .start).location)) { words.frame.stay }
            }
        }
    }

    @HTMLBuilder private var notices: HTML {
        if authority.isSimulated || authority.notice != nil {
            tag(.section, .class("notices"), .set(.ariaLabel, words.status.notices)) {
                if authority.isSimulated { tag(.p, .class("notice")) { words.frame.simulated } }
                if let notice = authority.notice { tag(.p, .class("notice")) { notice } }
            }
        }
    }

    private var footer: HTML {
        tag(.footer) {
            tag(.div, .class("inner")) {
                for place in [Place.help, .accessibility, .privacy] {
                    tag(.a, .href(place.location)) { title(of: place) }
                }
                tag(.a, .href(contact: authority.contact)) { words.contact }
            }
        }
    }
}

import FoundationEssentials
import Pages

extension Frame {
    /// A page that says what happened and what to do.
    func refusalPage(_ refusal: Refusal, now: Date) -> HTML {
        let refused = text(of: refusal, now: now)
        return document(title: refused.title) {
            tag(.h1) { refused.title }
            for paragraph in refused.whatToDo { tag(.p, .class("lead")) { paragraph } }
            if [.verificationAway, .providerAway, .misconfigured, .unavailable].contains(refusal), officer != nil {
                tag(.section, .class("script"), .set(.ariaLabelledby, "tell")) {
                    tag(.h2, .id("tell")) { words.refusals.callBackTitle }
                    for paragraph in words.refusals.callBack { tag(.p) { paragraph } }
                }
            }
            tag(.div, .class("actions")) {
                switch refusal {
                case .notSignedIn, .signInFailed, .signInRefused:
                    tag(.a, .class("button"), .href("/login")) { words.frame.signIn }
                case .formUsed, .verificationAway, .tooMany:
                    tag(.a, .class("button"), .href(PagePath.codes.location)) { words.refusals.toCodes }
                case .entryUsed, .ownEntry, .decided, .full:
                    tag(.a, .class("button"), .href(PagePath.venues.location)) { words.refusals.toVenues }
                default:
                    tag(.a, .class("button"), .href(PagePath.start.location)) { words.refusals.toStart }
                }
            }
        }
    }

    private func text(of refusal: Refusal, now: Date) -> Words.Refused {
        switch refusal {
        case .malformed: words.refusals.malformed
        case .otherHost: words.refusals.otherHost
        case .notSignedIn: words.refusals.notSignedIn
        case .noRole: words.refusals.noRole
        case .otherSite: words.refusals.otherSite
        case .notFound: words.refusals.notFound
        case .formUsed: words.refusals.formUsed
        case .entryUsed: words.refusals.entryUsed
        case .ownEntry: words.refusals.ownEntry
        case .decided: words.refusals.decided
        case .full: words.refusals.full
        case .tooMany(let end): words.refusals.tooMany(portal.time.time(end, now: now, in: words))
        case .providerAway: words.refusals.providerAway
        case .misconfigured: words.refusals.misconfigured
        case .verificationAway: words.refusals.verificationAway
        case .signInFailed: words.refusals.signInFailed
        case .signInRefused: words.refusals.signInRefused
        case .unavailable: words.refusals.unavailable
        }
    }
}

import Foundation
import Pages

/// Why a request was refused, as officers need to know it. No case names an internal.
enum Refusal: Sendable, Equatable {
    case malformed
    case sessionEnded
    case noRole
    case otherSite
    case notFound
    /// The form's code was made and hidden.
    case formUsed
    case tooMany(until: Date)
    case providerAway
    case verificationAway
    case signInFailed
    case signInDenied
    case internalError
}

extension Frame {
    /// A page that says what happened and what to do.
    func refusalPage(_ refusal: Refusal, now: Date) -> HTML {
        let refused = text(of: refusal, now: now)
        return page(nil, title: refused.title) {
            tag(.h1) { refused.title }
            for paragraph in refused.whatToDo { tag(.p, .class("lead")) { paragraph } }
            if refusal == .verificationAway || refusal == .providerAway, officer != nil {
                tag(.section, .class("script"), .set(.ariaLabelledby, "tell")) {
                    tag(.h2, .id("tell")) { words.refusals.callBackTitle }
                    for paragraph in words.refusals.callBack { tag(.p) { paragraph } }
                }
            }
            tag(.div, .class("actions")) {
                switch refusal {
                case .sessionEnded, .signInFailed, .signInDenied:
                    tag(.a, .class("button"), .href("/login")) { words.frame.signIn }
                case .formUsed, .verificationAway, .tooMany:
                    tag(.a, .class("button"), .href(Place.codes.location)) { words.refusals.toCodes }
                default:
                    tag(.a, .class("button"), .href(Place.start.location)) { words.refusals.toStart }
                }
            }
        }
    }

    private func text(of refusal: Refusal, now: Date) -> Words.Refused {
        switch refusal {
        case .malformed: words.refusals.malformed
        case .sessionEnded: words.refusals.sessionEnded
        case .noRole: words.refusals.noRole
        case .otherSite: words.refusals.otherSite
        case .notFound: words.refusals.notFound
        case .formUsed: words.refusals.formUsed
        case .tooMany(let end): words.refusals.tooMany(authority.time.time(end, now: now, in: words))
        case .providerAway: words.refusals.providerAway
        case .verificationAway: words.refusals.verificationAway
        case .signInFailed: words.refusals.signInFailed
        case .signInDenied: words.refusals.signInDenied
        case .internalError: words.refusals.internalError
        }
    }
}

import Credentials
import FoundationEssentials
import HTTPContract
import OfficerIdentity
import Pages
import Running
import Schema
import Serving

/// The page with the call script and a form for each kind of code that the officer may make.
struct CodesPage: Sendable {
    /// One form with one button.
    struct Form: Sendable {
        let kind: TeleTANKind
        /// The hidden field `form`.
        let number: String
    }

    /// The forms that the roles allow, tests first.
    let forms: [Form]
    /// How many more codes the officer may make in this hour; nil if there are enough, or if it isn't known.
    let remaining: Int?
    /// Whether the last code is still shown.
    let isLastShown: Bool
    /// For events: hostile names.
    let authorities: [Authority]
    /// Whether the forms make training codes; each then has the hidden field `training`.
    let isTraining: Bool
}

/// `GET /codes`, and `GET /codes?training=1`: the forms.
struct ShowForms: Sendable {
    let authorities: [Authority]
    let pages: PageAnswers
    let clock: WallClock

    /// From this number of codes on the page says how many are left.
    private static let fewRemaining = 10

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
        let isTraining = try request.queryValues()["training"] == "1"
        let kinds = session.officer.roles.kinds
        let now = clock.now
        let last = session.codes.last
        let forms = kinds.map { kind in
            let number = FormNumber(position: session.codes.next, kind: kind, isTraining: isTraining)
            return CodesPage.Form(kind: kind, number: number.text(in: session.id))
        }
        let page = CodesPage(
            forms: forms,
            remaining: last.flatMap { last in
                guard !last.form.isTraining, last.issued.hourNumber == now.hourNumber,
                    last.remaining < Self.fewRemaining
                else { return nil }
                return last.remaining
            }, isLastShown: last?.isShown(at: now) ?? false,
            authorities: kinds.contains(.event) ? authorities : [], isTraining: isTraining)
        return pages.page(pages.frame(request, session).codesPage(page))
    }
}

extension Set<OfficerRole> {
    /// Whether there is a kind of code that the officer may make.
    var mayMakeCodes: Bool { !kinds.isEmpty }

    /// The kinds of codes that the roles allow, tests first. The verification server judges.
    var kinds: [TeleTANKind] {
        (contains(.hotline) ? [.test] : []) + (contains(.hotlineEvent) ? [.event] : [])
    }
}

import Calling
import Credentials
import FoundationEssentials
import HTTPContract
import HTTPTypes
import Metrics
import OfficerIdentity
import Pages
import Running
import Schema
import Serving
import VerificationAPI

/// `POST /codes`: makes the code of a form, and leads to the page that shows it.
///
/// A double click, a reload, Back, a second tab or a lost answer sends the same form again. Its number is the
/// `Idempotency-Key`, so the verification server answers with the same code, and only one is stored.
struct MakeCode: Sendable {
    let sessions: Sessions
    let verification: ServiceClient
    let authorities: [Authority]
    let audit: CodeAudit
    let metrics: PortalMetrics
    let log: IdentityLog
    let clock: WallClock

    func handle(_ request: Request, _ session: OpenSession) async throws -> Response {
        let begun = ContinuousClock.now
        let wish = try Wish(try request.form(), authorities)
        guard session.officer.roles.kinds.contains(wish.kind) else { throw Refusal.noRole }
        let response = try await make(wish, session)
        metrics.codeSeconds.recordNanoseconds(Int64((ContinuousClock.now - begun) / .nanoseconds(1)))
        return response
    }

    /// A form as it was sent.
    private struct Wish {
        let kind: TeleTANKind
        let authority: Authority?
        let isTraining: Bool
        let number: String

        init(_ form: URLEncodedValues, _ authorities: [Authority]) throws(Refusal) {
            guard let kind = form["kind"].flatMap(TeleTANKind.init(rawValue:)), let number = form["form"] else {
                throw .malformed
            }
            self.kind = kind
            self.number = number
            isTraining = form["training"] == "1"
            authority = authorities.first { $0.number == form["authority"] }
            // A code for an event is made in an authority's name.
            guard kind == .test || authority != nil else { throw .malformed }
        }

        /// The form at a position of the session, if this is it.
        func isForm(at position: Int, of session: OpenSession) -> Bool {
            let form = FormNumber(position: position, kind: kind, isTraining: isTraining)
            return Array(form.text(in: session.id).utf8).isEqual(to: Array(number.utf8))
        }
    }

    private func make(_ wish: Wish, _ session: OpenSession) async throws -> Response {
        let now = clock.now
        if let last = session.codes.last, wish.isForm(at: last.form.position, of: session) {
            // It has made its code. A code that was told isn't shown again because of an old form.
            guard last.isShown(at: now) else { throw Refusal.formUsed }
            return .seeOther(PagePath.currentCode.location)
        }
        guard wish.isForm(at: session.codes.next, of: session) else { throw Refusal.formUsed }
        let form = FormNumber(position: session.codes.next, kind: wish.kind, isTraining: wish.isTraining)
        let code = wish.isTraining ? .training(form, wish.authority, at: now) : try await issue(form, wish, session)
        if !wish.isTraining {
            // Before the code can be shown. A repeat of the form leads here, too, and stores nothing more.
            try await audit.note(
                form.key(in: session.id), kind: wish.kind.rawValue, authority: wish.authority?.number,
                subject: session.officer.subject)
        }
        let isSaved = try await sessions.save(CodeState(next: form.position + 1, last: code), of: session)
        if !isSaved {
            // Another request was first: with this form it stored the same code, with another form its own.
            guard let stored = try await sessions.codes(of: session)?.last, stored.form == form else {
                throw Refusal.formUsed
            }
        }
        return .seeOther(PagePath.currentCode.location)
    }

    private func issue(_ form: FormNumber, _ wish: Wish, _ session: OpenSession) async throws(Refusal) -> IssuedCode {
        let answer: TeleTANResponse
        do {
            answer = try await verification.call(
                VerificationAPI.teleTAN,
                TeleTANRequest(
                    officerToken: session.officer.accessToken, kind: form.kind,
                    idempotencyKey: form.key(in: session.id)))
        } catch .refused(.tooManyRequests) {
            // The officer's limit is for an hour of the clock.
            throw .tooMany(until: Date(timeIntervalSince1970: Double(clock.now.hourNumber + 1) * 3600))
        } catch .refused(.unauthorized) {
            // The officer has the role: it is the token that verification-server doesn't accept. It logs why.
            log.note(.officerToken)
            throw .misconfigured
        } catch {
            throw .verificationAway
        }
        return IssuedCode(
            form: form, text: answer.value.text, authority: wish.authority, issued: clock.now,
            validUntil: Date(timeIntervalSince1970: Double(answer.validUntil)), remaining: answer.remaining)
    }
}

extension IssuedCode {
    /// A code for training: nothing was asked and nothing is stored anywhere else, and no app accepts its check character.
    fileprivate static func training(_ form: FormNumber, _ authority: Authority?, at now: Date) -> IssuedCode {
        var randomness = SystemRandomNumberGenerator()
        let right = TeleTAN(using: &randomness).text
        let wrong = TeleTAN.alphabet.filter { $0 != right.last }
        let last = wrong[Int.random(in: wrong.indices, using: &randomness)]
        return IssuedCode(
            form: form, text: "\(right.dropLast())\(last)", authority: authority, issued: now,
            validUntil: now.addingTimeInterval(form.kind == .test ? 3600 : 2 * 86_400), remaining: .max)
    }
}

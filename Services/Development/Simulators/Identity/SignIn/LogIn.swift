import DevelopmentIdentityAPI
import FoundationEssentials
import HTTPContract
import Pages
import Running
import Serving

/// `POST /log-in`, the password, and `POST /second-factor`, the one-time code.
extension IdentityProvider {
    /// How long people may take, in seconds.
    private static let patience: TimeInterval = 1800

    func logIn(_ request: Request, _ form: URLEncodedValues) throws -> Response {
        guard let (number, pending) = try pending(request, form) else { return views.tooLate() }
        guard let user = registry.user(form["user"] ?? ""), user.password == form["password"],
            state.with({ !$0.disabled.contains(user.name) })
        else {
            return views.password(number: number, words: pending.request.words, isWrong: true)
        }
        state.with { $0.pending[number]?.user = user.name }
        return views.secondFactor(number: number, words: pending.request.words)
    }

    func secondFactor(_ request: Request, _ form: URLEncodedValues) throws -> Response {
        guard let (number, pending) = try pending(request, form), let user = pending.user.flatMap(registry.user) else {
            return views.tooLate()
        }
        guard accepts(form["code"] ?? "", of: user) else {
            return views.secondFactor(number: number, words: pending.request.words, isWrong: true)
        }
        let session = Session(
            id: Base64URL.random(bytes: 16), secret: Base64URL.random(), user: user, begun: clock.now,
            lastUsed: clock.now)
        state.with {
            $0.pending[number] = nil
            $0.sessions[session.id] = session
        }
        return try sendBack(
            session, pending.request, cookies: [try HostCookie("identity", "\(session.id).\(session.secret)")])
    }

    /// What began in this browser under the form's number.
    private func pending(_ request: Request, _ form: URLEncodedValues) throws -> (String, PendingSignIn)? {
        guard let number = form["number"], let browser = try request.cookie("identity-browser"),
            let pending = state.with({ $0.pending[number] }), pending.browser == browser,
            clock.now.timeIntervalSince(pending.begun) <= Self.patience
        else { return nil }
        return (number, pending)
    }

    /// Whether a one-time code is right. Each is accepted once, and none that is older (RFC 6238, section 5.2).
    private func accepts(_ code: String, of user: User) -> Bool {
        guard let secret = user.secretBytes else { return false }
        let steps = OneTimeCode.steps(around: clock.now)
        guard let step = steps.first(where: { OneTimeCode.text(secret: secret, step: $0) == code }) else {
            return false
        }
        return state.with { contents in
            guard contents.usedSteps[user.name].map({ step > $0 }) ?? true else { return false }
            contents.usedSteps[user.name] = step
            return true
        }
    }

    /// For tests, and for developers without an authenticator app.
    func oneTimeCode(_ query: CodeQuery) throws -> OneTimeCodeAnswer {
        guard let user = registry.user(query.user), let secret = user.secretBytes else { throw Problem.badRequest }
        let steps = OneTimeCode.steps(around: clock.now)
        let unused = state.with { contents -> UInt64? in
            if query.forgetsUsed == true { contents.usedSteps[user.name] = nil }
            guard let used = contents.usedSteps[user.name] else { return steps.lowerBound + 1 }
            return used < steps.upperBound ? max(used + 1, steps.lowerBound) : nil
        }
        // All three that are accepted now have been used.
        guard let unused else { throw Problem.tooManyRequests(retryAfter: 30) }
        return OneTimeCodeAnswer(code: OneTimeCode.text(secret: secret, step: unused))
    }
}

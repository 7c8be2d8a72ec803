package import FoundationEssentials

/// Decides when an app registers for silent pushes and when it deregisters (swisscovid-doc,
/// `crowdnotifier/03-background-synchronisation.md`; the numbers below are those of `PushRuleTests`).
///
/// It is a pure value: events go in, actions come out, and the caller performs them. It knows neither network nor clock, so its
/// guarantee can be tested with any sequence of events: as soon as requests get through, the server has a registration exactly
/// if one is wanted.
///
/// Where SwissCovid's text leaves a gap (2, 8, 9, 22, 24), it deregisters. It retries a failed deregistration, which their app
/// never does.
package struct PushRegistrationState: Codable, Hashable, Sendable {
    /// Something that happens to the app.
    package enum Event: Hashable, Sendable {
        /// The app was started or brought to the foreground.
        case started
        /// The user left a place, so the diary has a new entry.
        case checkedOut
        /// The last entry was deleted, or has expired.
        case checkInsGone
        /// The user switched exposure notifications on or off.
        case encounters(isOn: Bool)
        /// The user's isolation began or ended.
        case isolation(isOn: Bool)
        /// The authority ended or resumed the app's service.
        case service(isOn: Bool)
        /// The system gave the app its push token.
        case tokenArrived(String)
        /// The system has no push token for the app.
        case tokenDenied
        /// A request has ended: with 2xx, or otherwise, including by cancellation.
        case ended(Request, isSuccess: Bool)
        /// The instant of the last ``Action/wake(at:)`` has come.
        case woken
        /// A silent push arrived.
        case pushArrived
    }

    /// Something that the app has to do.
    package enum Action: Hashable, Sendable {
        /// Ask the system for the push token.
        case askForToken
        /// Send a request, and report its end.
        case send(Request)
        /// Cancel a request, and still report its end.
        case cancel(Request)
        /// Report ``Event/woken`` at this instant if the app runs then, and never earlier.
        case wake(at: Date)
        /// Look for warnings now.
        case synchronise
        /// Forget all check-ins.
        case deleteCheckIns
    }

    /// A request to the server.
    package struct Request: Codable, Hashable, Sendable {
        /// Unique among a phone's requests.
        package let number: Int
        /// The content of the request.
        package let wish: Wish
    }

    /// The registration that the phone wants the server to have.
    package enum Wish: Codable, Hashable, Sendable {
        case pushes(token: String)
        case nothing
    }

    /// The registration that the server has of this phone, as far as the phone knows.
    package enum Registration: Codable, Hashable, Sendable {
        /// No registration.
        case none
        /// Perhaps a registration: one was sent, and the answer is missing.
        case pending
        /// A registration with this token, confirmed at this instant.
        case confirmed(token: String, at: Date)
        /// Perhaps a registration: a deregistration was sent, and the answer is missing.
        case dropping
    }

    /// Whether the user lets the phone look for encounters. If so, no push is needed.
    package private(set) var areEncountersOn: Bool
    /// Whether the diary has entries.
    package private(set) var hasCheckIns: Bool
    /// Whether the user is isolated. If so, the phone looks for nothing.
    package private(set) var isIsolated = false
    /// Whether the authority still runs the app's service.
    package private(set) var isActive = true
    /// The registration that the server has.
    package private(set) var registration = Registration.none
    /// The request in progress.
    ///
    /// There is one at a time, so that requests can't overtake each other. The exception is a cancelled request; if it arrives
    /// late, the next push reveals it.
    package private(set) var request: Request?

    private var token: String?
    private var isCancelled = false
    private var requests = 0
    private var lastPush: Date?
    private var failures = 0
    private var failedWish: Wish?
    private var notBefore: Date?

    /// Seconds after which a registration is renewed.
    package static let renewal: TimeInterval = 14 * 86_400
    /// Seconds after a push during which no renewal is sent, because all phones were woken at once (23).
    package static let quiet: TimeInterval = 15
    /// Seconds until a failed request is retried: the first delay doubles each time, up to the longest.
    package static let backOff: (first: TimeInterval, longest: TimeInterval) = (60, 86_400)

    /// A newly installed app, of which the server knows nothing.
    package init(areEncountersOn: Bool = false, hasCheckIns: Bool = false) {
        self.areEncountersOn = areEncountersOn
        self.hasCheckIns = hasCheckIns
    }

    /// Whether pushes are wanted.
    package var isWanted: Bool { !areEncountersOn && hasCheckIns && !isIsolated && isActive }

    /// Without a token nothing can be registered (17).
    private var wish: Wish {
        guard isWanted, let token else { return .nothing }
        return .pushes(token: token)
    }

    /// Processes an event.
    /// - Returns: the actions to perform, in this order.
    package mutating func handle(_ event: Event, at now: Date) -> [Action] {
        var actions: [Action] = []
        let wasWanted = isWanted
        switch event {
        case .started, .woken: break
        case .checkedOut: hasCheckIns = true
        case .checkInsGone: hasCheckIns = false
        case .encounters(let isOn): areEncountersOn = isOn
        case .isolation(let isOn): isIsolated = isOn
        case .service(let isOn):
            isActive = isOn
            if !isOn, hasCheckIns {
                hasCheckIns = false
                actions.append(.deleteCheckIns)
            }
        case .tokenArrived(let new):
            // The system has confirmed that the token is still valid, which is a reason to retry at once (16).
            if new == token, registration == .pending { forgetFailures() }
            token = new
        case .tokenDenied: token = nil
        case .ended(let ended, let isSuccess):
            guard ended == request else { return [] }
            end(ended, isSuccess: isSuccess, at: now)
        case .pushArrived:
            lastPush = now
            // A phone that receives a push is registered, whatever it believed (22): a cancelled request may have arrived after
            // the last one.
            if !isWanted, registration == .none { registration = .dropping }
            if hasCheckIns, !isIsolated, isActive { actions.append(.synchronise) }
        }
        if isWanted, event == .started || !wasWanted && token == nil { actions.append(.askForToken) }
        return actions + reconcile(at: now)
    }

    // MARK: Requests

    private mutating func end(_ ended: Request, isSuccess: Bool, at now: Date) {
        request = nil
        if isSuccess {
            switch ended.wish {
            case .pushes(let token): registration = .confirmed(token: token, at: now)
            case .nothing: registration = .none
            }
            forgetFailures()
        } else if !isCancelled {
            if failedWish != ended.wish { forgetFailures() }
            failedWish = ended.wish
            let pause = min(Self.backOff.first * Double(1 << min(failures, 20)), Self.backOff.longest)
            failures += 1
            notBefore = now.addingTimeInterval(pause)
        }
        isCancelled = false
    }

    private mutating func forgetFailures() {
        failures = 0
        failedWish = nil
        notBefore = nil
    }

    /// Sends what is wanted, unless the server already has it or it is already on its way. The last intent wins (27).
    private mutating func reconcile(at now: Date) -> [Action] {
        let wish = wish
        if let request {
            guard request.wish != wish, !isCancelled else { return [] }
            isCancelled = true
            return [.cancel(request)]
        }
        guard isDue(wish, at: now) else { return [] }
        if let earliest = earliest(wish), earliest > now { return [.wake(at: earliest)] }
        requests += 1
        let request = Request(number: requests, wish: wish)
        self.request = request
        registration = wish == .nothing ? .dropping : .pending
        return [.send(request)]
    }

    private func isDue(_ wish: Wish, at now: Date) -> Bool {
        switch (wish, registration) {
        case (.nothing, .none): false
        case (.nothing, .pending), (.nothing, .dropping), (.nothing, .confirmed): true
        case (.pushes(let token), .confirmed(let known, let instant)):
            token != known || now.timeIntervalSince(instant) > Self.renewal
        case (.pushes, .none), (.pushes, .pending), (.pushes, .dropping): true
        }
    }

    /// The earliest time to send the request; nil for at once.
    private func earliest(_ wish: Wish) -> Date? {
        if case .confirmed(let token, _) = registration, wish == .pushes(token: token) {
            return lastPush?.addingTimeInterval(Self.quiet)
        }
        return failedWish == wish ? notBefore : nil
    }
}

package import FoundationEssentials

/// When an app registers for silent pushes, and when it deregisters (swisscovid-doc,
/// `crowdnotifier/03-background-synchronisation.md`; the numbers below are those of `PushRuleTests`).
///
/// A pure value: events go in, actions come out, and whoever holds it performs them. It knows no network and no clock, so
/// that its promise can be tried on any sequence of events: as soon as requests get through, the server has a registration
/// exactly if one is wanted. Where SwissCovid's text leaves a gap (2, 8, 9, 22, 24) it takes the registration back, and a
/// failure to do so is repeated, which their app never does.
package struct PushRegistrationState: Sendable, Equatable {
    /// Something that happens to the app.
    package enum Event: Hashable, Sendable {
        /// The app was started, or brought to the foreground.
        case started
        /// The user left a place; there is a new entry in the diary.
        case checkedOut
        /// The last entry was deleted, or has expired.
        case checkInsGone
        /// The user switched exposure notifications on or off.
        case encounters(isOn: Bool)
        /// The user's isolation began or ended.
        case isolation(isOn: Bool)
        /// The authority ended the app's service, or began it again.
        case service(isOn: Bool)
        /// The system gave the app its push token.
        case tokenArrived(String)
        /// The system has no push token for the app.
        case tokenDenied
        /// A request has ended: with 2xx, or otherwise, which includes that it was cancelled.
        case ended(Request, isSuccess: Bool)
        /// The instant of the last ``Action/wake(at:)`` has come.
        case woken
        /// A silent push arrived.
        case pushArrived
    }

    /// Something that the app shall do.
    package enum Action: Hashable, Sendable {
        /// Ask the system for the push token.
        case askForToken
        /// Send a request; its end must be told.
        case send(Request)
        /// End a request; that it has ended must be told all the same.
        case cancel(Request)
        /// Tell ``Event/woken`` then, if the app runs, and anyhow not earlier.
        case wake(at: Date)
        /// Look for warnings now.
        case synchronise
        /// Forget all check-ins.
        case deleteCheckIns
    }

    /// A request to the server.
    package struct Request: Hashable, Sendable {
        /// No two of a phone's requests have the same.
        package let number: Int
        /// What it says.
        package let wish: Wish
    }

    /// What the phone wants of the server.
    package enum Wish: Hashable, Sendable {
        case pushes(token: String)
        case nothing
    }

    /// What the server has of this phone, as far as the phone knows.
    package enum Registration: Hashable, Sendable {
        /// Nothing.
        case none
        /// Perhaps a registration: one was sent, and its answer is missing.
        case pending
        /// A registration with this token, confirmed at this instant.
        case confirmed(token: String, at: Date)
        /// Perhaps a registration: it was taken back, and the answer is missing.
        case dropping
    }

    /// Whether the user lets the phone look for encounters; then no push is needed.
    package private(set) var areEncountersOn: Bool
    /// Whether the diary has entries.
    package private(set) var hasCheckIns: Bool
    /// Whether the user is isolated anyway; then nothing is looked for.
    package private(set) var isIsolated = false
    /// Whether the app's service goes on.
    package private(set) var isActive = true
    /// What the server has.
    package private(set) var registration = Registration.none
    /// What is under way: one request at a time, so that they can't overtake each other; save one that was cancelled, which the
    /// next push then tells of.
    package private(set) var request: Request?

    private var token: String?
    private var isCancelled = false
    private var requests = 0
    private var lastPush: Date?
    private var failures = 0
    private var failedWish: Wish?
    private var notBefore: Date?

    /// After this many seconds a registration is renewed.
    package static let renewal: TimeInterval = 14 * 86_400
    /// Seconds after a push in which no renewal is sent: all phones were woken at once (23).
    package static let quiet: TimeInterval = 15
    /// Seconds until a failed request is repeated: doubled each time, up to the second.
    package static let backOff: (first: TimeInterval, longest: TimeInterval) = (60, 86_400)

    /// An app that was just installed; the server knows nothing of it.
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

    /// Takes an event.
    /// - Returns: what to do, in this order.
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
            // The system's word that the token still counts is a reason to try at once (16).
            if new == token, registration == .pending { forgetFailures() }
            token = new
        case .tokenDenied: token = nil
        case .ended(let ended, let isSuccess):
            guard ended == request else { return [] }
            end(ended, isSuccess: isSuccess, at: now)
        case .pushArrived:
            lastPush = now
            // Who gets one is registered, whatever was thought (22): a cancelled request may have come after the last one.
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

    /// Sends what is wanted unless the server has it, or it is on its way. The last intent wins (27).
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

    /// Before when not to send, if there is a reason.
    private func earliest(_ wish: Wish) -> Date? {
        if case .confirmed(let token, _) = registration, wish == .pushes(token: token) {
            return lastPush?.addingTimeInterval(Self.quiet)
        }
        return failedWish == wish ? notBefore : nil
    }
}

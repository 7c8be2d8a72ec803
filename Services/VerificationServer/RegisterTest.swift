import Credentials
import FoundationEssentials
import HTTPContract
import Logging
import Metrics
import ServiceKit
import Synchronization
import VerificationAPI

/// `POST /version/v1/registrationToken`: a GUID or a teleTAN becomes a registration token, once.
///
/// An unknown, used or expired teleTAN and a GUID that somebody registered before are refused alike. Who sends an
/// `Idempotency-Key` is given a token that follows from key and proof: a repeat is recognised by computing it again and
/// finding its session, while another phone with the same proof has another key, and so another token, which opens
/// nothing.
struct RegisterTest: Sendable {
    let store: VerificationStore
    let lookUp: ResultLookUp
    let keys: VerificationKeys
    let guesses: GuessLimit
    let clock: WallClock

    func handle(_ request: RegistrationTokenRequest, from caller: Caller) async throws -> RegistrationTokenResponse {
        let token = keys.registrationToken(for: request)
        if request.isFake {
            // The same question to the database, and the same refusal when it is away.
            _ = try await lookUp.session(of: token)
            return RegistrationTokenResponse(token, isStrained: guesses.isStrained(at: clock.now))
        }
        switch request.proof {
        case .guid(let guid, let birthDate):
            if try await store.openSession(token.digest, for: guid, birthDate, at: clock.now) { break }
            guard try await isRepeated(request, token) else { throw Problem.badRequest }
        case .teleTAN(let code):
            try await guesses.requireOpen(at: clock.now)
            if try await store.openSession(token.digest, redeeming: keys.digest(of: code), at: clock.now) { break }
            if try await isRepeated(request, token) { break }
            try await guesses.count(at: clock.now)
            throw Problem.badRequest
        }
        return RegistrationTokenResponse(token, isStrained: guesses.isStrained(at: clock.now))
    }

    private func isRepeated(_ request: RegistrationTokenRequest, _ token: RegistrationToken) async throws -> Bool {
        guard request.idempotencyKey != nil else { return false }
        return try await lookUp.session(of: token) != nil
    }
}

/// How many teleTANs may be wrong within an hour before fewer are taken, and at twice as many none: guessing ends for all,
/// and GUIDs go on.
///
/// There are 31⁹ ≈ 2.6 × 10¹³ codes. With 1,000 made an hour at most, never more than 49,000 are open at a time (all
/// for events, which live two days). So 20,000 guesses an hour find one with a probability of 4 × 10⁻⁵: one hour in three
/// years of attack without pause, against a hotline that is never idle; with 100 open codes, one in 1,500 years. From the
/// first 10,000 on the metadata proxy, which is told, lets fewer through from parts of the net where some were refused, so
/// that others can still redeem their codes.
final class GuessLimit: Sendable {
    private let store: VerificationStore
    /// Refusals within an hour of the clock.
    private let budget: Int
    private let logger: Logger
    private let refusals: Counter
    private let isClosed: Gauge
    /// The hour in which the budget was last seen used up.
    private let strainedHour = Atomic<Int>(-1)

    init(store: VerificationStore, budget: Int, runtime: ServiceRuntime) {
        self.store = store
        self.budget = budget
        logger = runtime.logger
        refusals = Counter(label: "teletan_refusals_total", factory: runtime.metrics)
        isClosed = Gauge(label: "teletan_registration_closed", factory: runtime.metrics)
        isClosed.record(0)
    }

    /// Whether the budget of this hour is used up, as far as teleTANs have shown to this process.
    func isStrained(at now: Date) -> Bool {
        strainedHour.load(ordering: .relaxed) == Int(now.hourNumber)
    }

    /// - Throws: ``Problem`` 503, which depends on nothing that the request says.
    func requireOpen(at now: Date) async throws {
        let count = try await store.refusedTeleTANs(inHourOf: now)
        if count >= budget { strainedHour.store(Int(now.hourNumber), ordering: .relaxed) }
        let isOpen = count < 2 * budget
        isClosed.record(isOpen ? 0 : 1)
        guard isOpen else { throw Problem.unavailable }
    }

    /// Counts a refusal; the one that uses up the budget, and the one that closes the hour, are told to the operator.
    func count(at now: Date) async throws {
        refusals.increment()
        let count = try await store.countRefusedTeleTAN(inHourOf: now)
        if count >= budget { strainedHour.store(Int(now.hourNumber), ordering: .relaxed) }
        if count == budget { logger.error("the hour's budget of refused teleTANs is used up: somebody guesses") }
        guard count == 2 * budget else { return }
        isClosed.record(1)
        logger.error("teleTANs are closed for the rest of the hour: somebody guesses")
    }
}

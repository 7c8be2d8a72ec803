import Credentials
import FoundationEssentials
import HTTPContract
import Logging
import Metrics
import ServiceKit
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
            return RegistrationTokenResponse(token)
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
        return RegistrationTokenResponse(token)
    }

    private func isRepeated(_ request: RegistrationTokenRequest, _ token: RegistrationToken) async throws -> Bool {
        guard request.idempotencyKey != nil else { return false }
        return try await lookUp.session(of: token) != nil
    }
}

/// How many teleTANs may be wrong within an hour before no more are taken: guessing ends for all, and GUIDs go on.
///
/// There are 31⁹ ≈ 2.6 × 10¹³ codes. With 1,000 made an hour at most, never more than 49,000 are open at a time (all
/// for events, which live two days). So 10,000 guesses an hour find one with a probability of 2 × 10⁻⁵: one hour in six
/// years of attack without pause, against a hotline that is never idle; with 100 open codes, one in 3,000 years.
struct GuessLimit: Sendable {
    let store: VerificationStore
    /// Refusals within an hour of the clock.
    let budget: Int
    private let logger: Logger
    private let refusals: Counter
    private let isClosed: Gauge

    init(store: VerificationStore, budget: Int, runtime: ServiceRuntime) {
        self.store = store
        self.budget = budget
        logger = runtime.logger
        refusals = Counter(label: "teletan_refusals_total", factory: runtime.metrics)
        isClosed = Gauge(label: "teletan_registration_closed", factory: runtime.metrics)
        isClosed.record(0)
    }

    /// - Throws: ``Problem`` 503, which depends on nothing that the request says.
    func requireOpen(at now: Date) async throws {
        let isOpen = try await store.refusedTeleTANs(inHourOf: now) < budget
        isClosed.record(isOpen ? 0 : 1)
        guard isOpen else { throw Problem.unavailable }
    }

    /// Counts a refusal; the one that closes the hour is told to the operator.
    func count(at now: Date) async throws {
        refusals.increment()
        guard try await store.countRefusedTeleTAN(inHourOf: now) == budget else { return }
        isClosed.record(1)
        logger.error("teleTANs are closed for the rest of the hour: somebody guesses")
    }
}

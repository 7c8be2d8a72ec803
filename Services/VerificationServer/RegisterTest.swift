import Credentials
import FoundationEssentials
import HTTPContract
import Logging
import Metrics
import Running
import Serving
import Synchronization
import VerificationAPI

/// `POST /version/v1/registrationToken`: a GUID or a teleTAN becomes a registration token, once.
///
/// An unknown, used or expired teleTAN and a GUID that somebody registered before are refused alike. Who sends an
/// `Idempotency-Key` is given a token that follows from key and proof: a repeat is recognised by computing it again and
/// finding its session, while another phone with the same proof has another key, and so another token, which opens
/// nothing.
struct RegisterTest: Sendable {
    let registrations: Registrations
    let keys: VerificationKeys
    let guesses: GuessLimit
    let clock: WallClock

    func handle(_ request: RegistrationTokenRequest, from caller: Caller) async throws -> RegistrationTokenResponse {
        let token = keys.registrationToken(for: request)
        switch try await registrations.open(registration(of: request, token.digest)) {
        case .opened, .repeated: break
        case .refused: guard request.isFake else { throw Problem.badRequest }
        case .closed: throw Problem.unavailable
        }
        return RegistrationTokenResponse(token, isStrained: guesses.isStrained(at: clock.now))
    }

    private func registration(of request: RegistrationTokenRequest, _ token: Digest) -> Registration {
        if request.isFake { return .dummy }
        return switch request.proof {
        case .guid(let guid, let birthDate): .guid(guid, birthDate: birthDate, token: token)
        case .teleTAN(let code): .teleTAN(keys.digest(of: code), token: token)
        }
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
    /// Refusals within an hour of the clock.
    private let budget: Int
    private let logger: Logger
    private let refusals: Counter
    private let isClosed: Gauge
    /// The hour in which the budget was last seen used up.
    private let strainedHour = Atomic<Int>(-1)

    init(budget: Int, runtime: ServiceRuntime) {
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

    /// From so many refusals within the hour on no teleTAN is taken.
    var limit: Int { 2 * budget }

    /// Counts refusals. That they use up the budget, or close the hour, is told to the operator.
    func note(_ batch: RegistrationBatch, at now: Date) {
        let (before, after) = (batch.refusals - batch.refused, batch.refusals)
        refusals.increment(by: batch.refused)
        if after >= budget { strainedHour.store(Int(now.hourNumber), ordering: .relaxed) }
        isClosed.record(after < limit ? 0 : 1)
        if before < budget, after >= budget {
            logger.error("the hour's budget of refused teleTANs is used up: somebody guesses")
        }
        if before < limit, after >= limit {
            logger.error("teleTANs are closed for the rest of the hour: somebody guesses")
        }
    }
}

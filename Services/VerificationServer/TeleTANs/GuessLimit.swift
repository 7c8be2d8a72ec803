import FoundationEssentials
import Logging
import Metrics
import Running
import Schema
import Synchronization

/// Limits wrong teleTANs within an hour: beyond a budget the metadata proxy admits fewer, at twice the budget no teleTAN is
/// accepted. GUIDs are not affected.
///
/// There are 31⁹ ≈ 2.6 × 10¹³ codes. At most 1,000 are issued an hour, so never more than 49,000 are open (all for events,
/// which are valid for two days). 50,000 guesses an hour then find one with a probability of 9 × 10⁻⁵: once in 15 months
/// of uninterrupted attack if the hotline is always at its limit, once in 600 years with 100 open codes. From the first
/// 25,000 on, the metadata proxy is told, and admits fewer requests from address prefixes with refusals, so that everybody
/// else can still redeem their codes.
final class GuessLimit: Sendable {
    /// Refusals within an hour of the clock.
    private let budget: Int
    private let logger: Logger
    private let refusals: Counter
    private let closed: Gauge
    /// The last hour in which the budget was exhausted.
    private let strainedHour = Atomic<Int>(-1)
    /// The last hour in which the limit was reached.
    private let closedHour = Atomic<Int>(-1)

    init(budget: Int, runtime: ServiceRuntime) {
        self.budget = budget
        logger = runtime.logger
        refusals = Counter(label: "teletan_refusals_total", factory: runtime.metrics)
        closed = Gauge(label: "teletan_registration_closed", factory: runtime.metrics)
        closed.record(0)
    }

    /// Whether the budget of this hour is exhausted, as far as this process knows.
    func isStrained(at now: Date) -> Bool {
        strainedHour.load(ordering: .relaxed) == Int(now.hourNumber)
    }

    /// Whether no teleTAN is accepted in this hour, as far as this process knows.
    func isClosed(at now: Date) -> Bool { closedHour.load(ordering: .relaxed) == Int(now.hourNumber) }

    /// From this number of refusals within the hour on, no teleTAN is accepted.
    var limit: Int { 2 * budget }

    /// Counts refusals, and tells the operator when they exhaust the budget or close the hour.
    func note(_ batch: RegistrationBatch, at now: Date) {
        let (before, after) = (batch.refusals - batch.refused, batch.refusals)
        refusals.increment(by: batch.refused)
        if after >= budget { strainedHour.store(Int(now.hourNumber), ordering: .relaxed) }
        if after >= limit { closedHour.store(Int(now.hourNumber), ordering: .relaxed) }
        closed.record(after < limit ? 0 : 1)
        if before < budget, after >= budget {
            logger.error("the hourly budget of refused teleTANs is used up")
        }
        if before < limit, after >= limit {
            logger.error("teleTAN registration is closed for the rest of the hour")
        }
    }
}

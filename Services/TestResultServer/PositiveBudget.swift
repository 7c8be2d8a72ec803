import Metrics
import Running

/// Limits the positive results of one laboratory in an hour of the clock.
///
/// Each positive result authorises an upload, so with a stolen key of a laboratory an attacker could flood phones with
/// warnings. All replicas count together, in the database.
struct PositiveBudget: Sendable {
    /// The limit for one laboratory in one hour.
    let perHour: Int
    private let refusals: Counter

    /// - Parameter perHour: the setting `positives.hourlyLimit`.
    init(perHour: Int, metrics: any MetricsFactory) {
        self.perHour = perHour
        refusals = Counter(label: "positive_budget_refusals_total", factory: metrics)
    }

    /// Counts a batch that was refused because it would exceed the budget.
    func refused() { refusals.increment() }
}

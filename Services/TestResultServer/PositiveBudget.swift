import Metrics
import Running

/// How many positive results a laboratory may post in an hour of the clock.
///
/// Each positive result authorises an upload, so a stolen key of a laboratory could flood phones with warnings. All replicas
/// count together, in the database.
struct PositiveBudget: Sendable {
    /// Of one laboratory, in an hour.
    let perHour: Int
    private let refusals: Counter

    /// - Parameter perHour: `positives.hourlyLimit`.
    init(perHour: Int, metrics: any MetricsFactory) {
        self.perHour = perHour
        refusals = Counter(label: "positive_budget_refusals_total", factory: metrics)
    }

    /// A batch was refused because it would exceed the budget.
    func refused() { refusals.increment() }
}

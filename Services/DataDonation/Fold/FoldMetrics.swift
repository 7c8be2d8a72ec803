import HourKeys
import Metrics

/// The metrics of the fold. They change once an hour, so they don't reveal when a donation came.
struct FoldMetrics: Sendable {
    private let emptyHours: Counter
    private let singleDonorHours: Counter
    private let otherHours: Counter
    private let donations: Counter
    private let unreadable: Counter
    private let missingKeys: Counter

    init(_ factory: any MetricsFactory) {
        func hours(_ donations: String) -> Counter {
            Counter(label: "folded_donation_hours_total", dimensions: [("donations", donations)], factory: factory)
        }
        emptyHours = hours("none")
        singleDonorHours = hours("one")
        otherHours = hours("several")
        donations = Counter(label: "folded_donations_total", factory: factory)
        unreadable = Counter(label: "unreadable_donations_total", factory: factory)
        missingKeys = Counter(label: "missing_hour_keys_total", factory: factory)
    }

    func count(_ report: Fold.Report) {
        for donations in report.donations {
            switch donations {
            case 0: emptyHours.increment()
            case 1: singleDonorHours.increment()
            default: otherHours.increment()
            }
        }
        donations.increment(by: report.donations.reduce(0, +))
        unreadable.increment(by: report.unreadable)
    }

    /// Counts a fold that stopped because a private key is missing.
    func count(_ problem: HourKeyProblem) {
        missingKeys.increment()
    }
}

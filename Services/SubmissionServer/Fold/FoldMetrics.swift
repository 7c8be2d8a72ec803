import HourKeys
import Metrics

/// The metrics of the fold. They change once an hour, so they don't reveal when an upload happened.
struct FoldMetrics: Sendable {
    private let emptyHours: Counter
    private let singleUploaderHours: Counter
    private let otherHours: Counter
    private let keys: Counter
    private let reports: Counter
    private let venueReports: Counter
    private let keysLeftOut: Counter
    private let reportsLeftOut: Counter
    private let unreadable: Counter
    private let missingKeys: Counter

    init(_ factory: any MetricsFactory) {
        func hours(_ uploads: String) -> Counter {
            Counter(label: "folded_hours_total", dimensions: [("uploads", uploads)], factory: factory)
        }
        emptyHours = hours("none")
        singleUploaderHours = hours("one")
        otherHours = hours("several")
        keys = Counter(label: "folded_keys_total", factory: factory)
        reports = Counter(label: "folded_reports_total", factory: factory)
        venueReports = Counter(label: "folded_venue_reports_total", factory: factory)
        keysLeftOut = Counter(label: "left_out_keys_total", factory: factory)
        reportsLeftOut = Counter(label: "left_out_reports_total", factory: factory)
        unreadable = Counter(label: "unreadable_uploads_total", factory: factory)
        missingKeys = Counter(label: "missing_hour_keys_total", factory: factory)
    }

    func count(_ report: Fold.Report) {
        for uploads in report.uploads {
            switch uploads {
            case 0: emptyHours.increment()
            case 1: singleUploaderHours.increment()
            default: otherHours.increment()
            }
        }
        keys.increment(by: report.keys)
        reports.increment(by: report.reports)
        venueReports.increment(by: report.venueReports)
        keysLeftOut.increment(by: report.left.keys)
        reportsLeftOut.increment(by: report.left.reports)
        unreadable.increment(by: report.unreadable)
    }

    /// Counts a fold that stopped because a private key is missing.
    func count(_ problem: HourKeyProblem) {
        missingKeys.increment()
    }
}

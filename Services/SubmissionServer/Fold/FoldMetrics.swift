import HourKeys
import Metrics

extension FoldMetrics where Report == Fold.Report {
    /// Those of uploads.
    init(_ factory: any MetricsFactory) {
        self.init(
            factory,
            hours: {
                Counter(label: "folded_hours_total", dimensions: [("uploads", $0)], factory: factory)
            },
            unreadable: Counter(label: "unreadable_uploads_total", factory: factory),
            totals: [
                Total(Counter(label: "folded_keys_total", factory: factory)) { $0.keys },
                Total(Counter(label: "folded_reports_total", factory: factory)) { $0.reports },
                Total(Counter(label: "folded_venue_reports_total", factory: factory)) { $0.venueReports },
                Total(Counter(label: "left_out_keys_total", factory: factory)) { $0.left.keys },
                Total(Counter(label: "left_out_reports_total", factory: factory)) { $0.left.reports },
            ])
    }
}

import ExposureKeys
import FoundationEssentials
import Metrics

/// The metrics of publication. All values are public, or change once an hour.
struct PublishingMetrics: Sendable {
    private let keys: Counter
    private let foreignKeys: Counter
    private let reports: Counter
    private let venueReports: Counter
    private let bytes: Counter
    private let waiting: Gauge
    private let oldestWaiting: Gauge
    private let refusedFiles: Gauge
    private let duration: Gauge

    init(_ factory: any MetricsFactory) {
        keys = Counter(label: "published_keys_total", factory: factory)
        foreignKeys = Counter(label: "published_foreign_keys_total", factory: factory)
        reports = Counter(label: "published_reports_total", factory: factory)
        venueReports = Counter(label: "published_venue_reports_total", factory: factory)
        bytes = Counter(label: "published_bytes_total", factory: factory)
        waiting = Gauge(label: "waiting_keys", factory: factory)
        oldestWaiting = Gauge(label: "oldest_waiting_key_seconds", factory: factory)
        duration = Gauge(label: "last_publish_seconds", factory: factory)
        refusedFiles = Gauge(label: "refused_static_files", factory: factory)
    }

    /// Records the result of a run.
    func count(_ report: Publisher.Report, waiting keys: WaitingKeys, at now: Date, took duration: Duration) {
        self.duration.record(duration / .seconds(1))
        self.keys.increment(by: report.newKeys)
        foreignKeys.increment(by: report.newForeignKeys)
        reports.increment(by: report.newReports)
        venueReports.increment(by: report.newVenueReports)
        bytes.increment(by: report.bytes)
        refusedFiles.record(report.refusedFiles)
        waiting.record(keys.count)
        oldestWaiting.record(keys.oldest.map { max(0, now.timeIntervalSince($0.end)) } ?? 0)
    }
}

/// Folded keys that aren't published yet, because their embargo hasn't ended or there are too few.
struct WaitingKeys: Sendable, Equatable {
    var count = 0
    /// The hour in which the first of them was folded.
    var oldest: Hour?

    /// Counts a key that was folded in an hour.
    mutating func note(_ folded: Hour) {
        count += 1
        oldest = min(oldest ?? folded, folded)
    }

    static func + (left: WaitingKeys, right: WaitingKeys) -> WaitingKeys {
        WaitingKeys(
            count: left.count + right.count, oldest: [left.oldest, right.oldest].compactMap { $0 }.min())
    }
}

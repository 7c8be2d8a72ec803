import ExposureKeys
import FoundationEssentials
import HourKeys
import Logging
import Metrics
import Postgres
import Running
import Schema
import ServiceLifecycle

/// The hourly fold of donations: takes each apart, and stores the parts in the order of their content.
struct Fold: FoldProcess {
    let store: FoldStore
    let files: HourKeyFiles
    let clock: DatabaseClock
    let metrics: FoldMetrics<Report>
    let logger: Logger

    static let process = "donation-fold"
    static let schema = Schema.donation
    static let role = DatabaseRole.donationFold
    /// As long as donations are kept.
    static let longestOutage = 14 * 24
    static let keepsEarlierRows = true

    init(
        store: FoldStore, files: HourKeyFiles, clock: DatabaseClock, metrics: FoldMetrics<Report>, logger: Logger
    ) {
        self.store = store
        self.files = files
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// - Parameter database: connected as `vigil_donation_fold`.
    init(_ database: PostgresClient, by clock: DatabaseClock, _ runtime: ServiceRuntime) throws {
        self.init(
            store: FoldStore(database), files: try HourKeyFiles(runtime.configuration), clock: clock,
            metrics: FoldMetrics(runtime.metrics), logger: runtime.logger)
    }

    /// Releases what is over.
    static func otherJobs(
        in runtime: ServiceRuntime, _ database: PostgresClient, by clock: DatabaseClock
    ) async throws -> [any Service] {
        try await Releases.everyHour(in: runtime, database, by: clock)
    }

    /// The result of a fold.
    struct Report: FoldReport, Equatable {
        var lastHour: Int32 = 0
        /// How many donations each folded hour had.
        var donations: [Int] = []
        var unreadable = 0

        var people: [Int] {
            get { donations }
            set { donations = newValue }
        }

        var metadata: Logger.Metadata {
            [
                "hour": "\(lastHour)", "donations": "\(donations.reduce(0, +))", "unreadable": "\(unreadable)",
                "single_donor_hours": "\(singlePersonHours)",
            ]
        }
    }

    func insert(
        _ hours: [(hour: Hour, content: DonatedRows)], asOf instant: Date, into report: inout Report,
        in transaction: FoldTransaction
    ) throws {
        for (hour, rows) in hours { try transaction.insert(rows, in: hour) }
    }
}

extension FoldMetrics where Report == Fold.Report {
    /// Those of donations.
    init(_ factory: any MetricsFactory) {
        self.init(
            factory,
            hours: {
                Counter(label: "folded_donation_hours_total", dimensions: [("donations", $0)], factory: factory)
            },
            unreadable: Counter(label: "unreadable_donations_total", factory: factory),
            totals: [
                Total(Counter(label: "folded_donations_total", factory: factory)) { $0.donations.reduce(0, +) }
            ])
    }
}

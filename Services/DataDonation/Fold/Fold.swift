import ExposureKeys
import FoundationEssentials
import HourKeys
import Logging
import Postgres
import Running
import Schema

/// The hourly fold: takes all donations of an hour apart, and destroys everything that could tell what came together.
///
/// Every step may be repeated: the next fold finishes one that was killed at any point.
struct Fold: Sendable {
    let store: FoldStore
    let files: HourKeyFiles
    /// An hour is closed only after it has ended by this clock.
    let clock: DatabaseClock
    let metrics: FoldMetrics
    let logger: Logger

    /// How many hours after the current one have a key.
    ///
    /// Donations continue for that long while no fold runs. With more hours, a copy of the private keys could open more later donations.
    static let hoursAhead = 12

    init(store: FoldStore, files: HourKeyFiles, clock: DatabaseClock, metrics: FoldMetrics, logger: Logger) {
        self.store = store
        self.files = files
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// Reads the directory from the configuration.
    /// - Parameter database: connected as `vigil_donation_fold`.
    init(_ database: PostgresClient, by clock: DatabaseClock, _ runtime: ServiceRuntime) throws {
        self.init(
            store: FoldStore(database), files: try HourKeyFiles(runtime.configuration), clock: clock,
            metrics: FoldMetrics(runtime.metrics), logger: runtime.logger)
    }

    /// The result of a fold.
    struct Report: Sendable, Equatable {
        /// The last folded hour.
        var lastHour: Int32
        /// How many donations each folded hour had.
        var donations: [Int] = []
        /// Rows that no key opens, because this suite didn't write them or they were damaged.
        var unreadable = 0

        /// Hours with a single donation, whose parts anyone can put together again.
        var singleDonorHours: Int { donations.count { $0 == 1 } }

        var metadata: Logger.Metadata {
            [
                "hour": "\(lastHour)", "donations": "\(donations.reduce(0, +))", "unreadable": "\(unreadable)",
                "single_donor_hours": "\(singleDonorHours)",
            ]
        }
    }

    /// Folds every hour that ended at or before an instant.
    ///
    /// 1. Create keys for the coming hours, and close the ended hours: no more donations are sealed to them.
    /// 2. In one transaction, open the inbox, take each donation apart, insert the parts in the order of their content, and empty the
    ///    inbox.
    /// 3. Destroy the private keys of the closed hours.
    ///
    /// - Throws: `ClockAhead` before the first step.
    @discardableResult
    func run(asOf instant: Date) async throws -> Report {
        try await clock.require(instant)
        let last = Hour(endedBy: instant)
        let report: Report
        do {
            try await close(through: last)
            report = try await store.fold { try move(through: last, in: $0) }
        } catch let problem as HourKeyProblem {
            metrics.count(problem)
            throw problem
        }
        try files.destroy(through: last)
        metrics.count(report)
        if report.unreadable > 0 {
            logger.error("rows of the inbox could not be opened", metadata: ["rows": "\(report.unreadable)"])
        }
        return report
    }

    /// The first step: ensures that the last ended hour has a key, and closes it.
    ///
    /// From then on no process can create keys for folded hours, whatever its clock says.
    func close(through last: Hour) async throws {
        try await store.makeKeys(from: last, count: 2 + Self.hoursAhead, in: files)
        try await store.close(through: last)
    }

    /// Seconds after the hour. By then, a donation that began in the old hour is either stored or joins the new hour.
    private static let delay: TimeInterval = 2

    /// Folds at startup and after every hour.
    func everyHour(in runtime: ServiceRuntime) -> RecurringJob {
        RecurringJob("fold", in: runtime) { now in
            Hour(containing: now).end.addingTimeInterval(Self.delay)
        } work: { now in
            try await run(asOf: now).metadata
        }
    }

    // MARK: The second step

    /// How many hours of an outage are caught up on: as many as donations are kept.
    private static let longestOutage = 14 * 24

    /// Hours that were folded before stay as they are: a row that belongs to one joins the first hour after them.
    func move(through last: Hour, in transaction: FoldTransaction) throws -> Report {
        let lastFolded = try transaction.lastFoldedHour()
        var report = Report(lastHour: max(last, lastFolded ?? last).number)
        guard lastFolded.map({ $0 < last }) ?? true else { return report }

        var inbox = OpenedInbox(files: files)
        try transaction.readInbox(through: last) { try inbox.add($0) }
        report.unreadable = inbox.unreadable
        let next = lastFolded?.advanced(by: 1) ?? min(inbox.hours.keys.min() ?? last, last)
        let first = max(next, last.advanced(by: -Self.longestOutage))

        var donated: [Hour: DonatedRows] = [:]
        for (hour, rows) in inbox.hours { donated[max(hour, first), default: DonatedRows()].add(rows) }
        for hour in first...last {
            let rows = donated[hour] ?? DonatedRows()
            try transaction.insert(rows, in: hour)
            report.donations.append(rows.donations)
        }
        try transaction.emptyInbox(through: last)
        return report
    }
}

import Crypto
import ExposureKeys
import Foundation
import Logging
import Postgres
import Running
import Schema

/// The hourly fold: what was uploaded together becomes part of one sorted set, and nothing remains that could tell the
/// parts apart. At 2,000 uploads a day a quarter of a second has one upload at most, but an hour has many.
///
/// Every step may be repeated. A fold that was killed anywhere is finished by the next one.
struct Fold: Sendable {
    let store: FoldStore
    let files: HourKeyFiles
    /// No hour is closed before it has ended by this clock.
    let clock: DatabaseClock
    let fillers: Fillers
    let metrics: FoldMetrics
    let logger: Logger

    /// For how many hours after the running one there are keys: for as long uploads go on while no fold runs. The longer, the
    /// more later uploads could be opened with a copy of the private keys.
    static let hoursAhead = 12

    init(
        store: FoldStore, files: HourKeyFiles, clock: DatabaseClock, fillers: Fillers, metrics: FoldMetrics,
        logger: Logger
    ) {
        self.store = store
        self.files = files
        self.clock = clock
        self.fillers = fillers
        self.metrics = metrics
        self.logger = logger
    }

    /// With directory and sizes from the configuration.
    /// - Parameter database: connected as `vigil_fold`.
    init(_ database: PostgresClient, by clock: DatabaseClock, _ runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        self.init(
            store: FoldStore(database), files: try HourKeyFiles(settings), clock: clock,
            fillers: Fillers(sizes: try Self.sizes(settings)), metrics: FoldMetrics(runtime.metrics),
            logger: runtime.logger)
    }

    /// From `fold.smallestSet`. The keys of a set that is smaller than a package would wait for those of later hours.
    static func sizes(_ settings: Settings) throws -> SizeClasses {
        let threshold = PublicationPolicy.smallestPackage
        return SizeClasses(
            smallest: try settings.int("fold.smallestSet", default: threshold, in: threshold...100_000))
    }

    /// What a fold did.
    struct Report: Sendable, Equatable {
        /// The last hour that is folded now.
        var lastHour: Int32
        /// How many uploads each folded hour had.
        var uploads: [Int] = []
        var keys = 0
        var reports = 0
        /// Keys and reports that were left out when they were uploaded, because they broke a rule.
        var left = UploadContent.LeftOut()
        /// Rows that no key opens. They were not written by this suite, or were damaged.
        var unreadable = 0

        /// Hours with one upload. Whoever knows that a person uploaded then knows that nobody else did.
        var singleUploaderHours: Int { uploads.count { $0 == 1 } }

        var metadata: Logger.Metadata {
            [
                "hour": "\(lastHour)", "keys": "\(keys)", "reports": "\(reports)", "unreadable": "\(unreadable)",
                "single_uploader_hours": "\(singleUploaderHours)",
            ]
        }
    }

    /// Folds every hour that ended at or before an instant.
    ///
    /// 1. Keys for the hours to come are made, and the ended hours closed: no upload is sealed to them any more.
    /// 2. In one transaction the inbox is opened, each hour's keys and reports are filled up and inserted in the order of
    ///    their content, and the inbox is emptied.
    /// 3. The closed hours' private keys are destroyed.
    ///
    /// - Throws: ``ClockAhead`` before any of it.
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

    /// The first step. Afterwards the last ended hour has a key, and it is closed. That keeps every process from making keys
    /// for hours that are folded, whatever its clock says.
    func close(through last: Hour) async throws {
        try await store.makeKeys(from: last, count: 2 + Self.hoursAhead, in: files)
        try await store.close(through: last)
    }

    /// Seconds after the hour. An upload that began in the old hour is stored by then, or joins the new one.
    private static let delay: TimeInterval = 2

    /// Folds at start and after every hour.
    func everyHour(in runtime: ServiceRuntime) -> RecurringJob {
        RecurringJob("fold", in: runtime) { now in
            Hour(containing: now).end.addingTimeInterval(Self.delay)
        } work: { now in
            try await run(asOf: now).metadata
        }
    }

    // MARK: The second step

    /// How many hours of an outage are caught up on. Keys that waited longer have expired.
    private static let longestOutage = 14 * 24

    /// Hours that were folded before stay as they are: a row that belongs to one joins the first hour after them.
    func move(through last: Hour, in transaction: FoldTransaction) throws -> Report {
        let lastFolded = try transaction.lastFoldedHour()
        var report = Report(lastHour: max(last, lastFolded ?? last).number)
        guard lastFolded.map({ $0 < last }) ?? true else { return report }

        var inbox = OpenedInbox(files: files)
        try transaction.readInbox(through: last) { try inbox.add($0) }
        report.unreadable = inbox.unreadable
        let first = lastFolded?.advanced(by: 1) ?? min(inbox.hours.keys.min() ?? last, last)
        let hours = max(first, last.advanced(by: -Self.longestOutage))...last

        var uploads: [Hour: OpenedInbox.Hourly] = [:]
        for (hour, uploaded) in inbox.hours { uploads[max(hour, first), default: .init()].add(uploaded) }
        var known = try Known(uploads.values, in: transaction)
        for hour in hours {
            let uploaded = uploads[hour] ?? .init()
            // A key may have been uploaded with different metadata: which of them counts follows from their content.
            let keys = uploaded.keys.map(\.inWholeHours).sorted().filter { known.keys.insert($0.data).inserted }
            let reports = uploaded.reports.sorted().filter { known.reports.insert($0).inserted }
            var random = SystemRandomNumberGenerator()
            try transaction.insert(
                fillers.fill(keys, of: hour, using: &random).sorted(), fillers.fill(reports, using: &random).sorted(),
                hour: hour)
            report.uploads.append(uploaded.uploads)
            report.keys += keys.count
            report.reports += reports.count
            report.left.keys += uploaded.left.keys
            report.left.reports += uploaded.left.reports
        }
        try transaction.emptyInbox(through: last)
        return report
    }

    /// What was folded before. What a phone uploads again, because it wasn't answered 200, counts once.
    private struct Known {
        var keys: Set<KeyData>
        var reports: Set<CheckInReport>

        init(_ uploads: some Sequence<OpenedInbox.Hourly>, in transaction: FoldTransaction) throws {
            var keys: Set<KeyData> = []
            var reports: Set<CheckInReport> = []
            for uploaded in uploads {
                for key in uploaded.keys { keys.insert(key.data) }
                reports.formUnion(uploaded.reports)
            }
            self.keys = try transaction.known(among: keys)
            self.reports = try transaction.known(among: reports)
        }
    }
}

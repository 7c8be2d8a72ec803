import Crypto
import ExposureKeys
import FoundationEssentials
import HourKeys
import Logging
import Postgres
import Running
import Schema
import Venues

/// The hourly fold: merges all uploads of an hour into one sorted set, and destroys everything that could tell the uploads
/// apart.
///
/// At 2,000 uploads a day, a quarter of a second has one upload at most, but an hour has many.
///
/// Every step may be repeated: the next fold finishes one that was killed at any point.
struct Fold: Sendable {
    let store: FoldStore
    let files: HourKeyFiles
    /// An hour is closed only after it has ended by this clock.
    let clock: DatabaseClock
    let fillers: Fillers
    /// The sizes of the keys that other countries get; nil in a country without federation, where all keys are one stream.
    let federatedSizes: SizeClasses?
    let metrics: FoldMetrics
    let logger: Logger

    /// How many hours after the current one have a key.
    ///
    /// Uploads continue for that long while no fold runs. With more hours, a copy of the private keys could open more later
    /// uploads.
    static let hoursAhead = 12

    init(
        store: FoldStore, files: HourKeyFiles, clock: DatabaseClock, fillers: Fillers,
        federatedSizes: SizeClasses? = nil, metrics: FoldMetrics, logger: Logger
    ) {
        self.store = store
        self.files = files
        self.clock = clock
        self.fillers = fillers
        self.federatedSizes = federatedSizes
        self.metrics = metrics
        self.logger = logger
    }

    /// Reads the directory and the sizes from the configuration.
    /// - Parameter database: connected as `vigil_fold`.
    init(_ database: PostgresClient, by clock: DatabaseClock, _ runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        self.init(
            store: FoldStore(database), files: try HourKeyFiles(settings), clock: clock,
            fillers: try Self.fillers(settings), federatedSizes: try Self.federatedSizes(settings),
            metrics: FoldMetrics(runtime.metrics), logger: runtime.logger)
    }

    /// From `fold.smallestSet` and `lowestRiskLevel`. With another level than distribution's, an hour's package would have fewer keys
    /// than a size class.
    static func fillers(_ settings: Settings) throws -> Fillers {
        let level = try settings.int(
            "lowestRiskLevel", default: TransmissionRiskLevel.lowestPublished.rawValue, in: TransmissionRiskLevel.range)
        let policy = PublicationPolicy(lowestLevel: TransmissionRiskLevel(rawValue: level) ?? .lowestPublished)
        return Fillers(sizes: try sizes(settings), policy: policy)
    }

    /// From `fold.smallestSet`. A set smaller than a package would keep its keys waiting for those of later hours.
    static func sizes(_ settings: Settings) throws -> SizeClasses {
        let threshold = PublicationPolicy.smallestPackage
        return SizeClasses(
            smallest: try settings.int("fold.smallestSet", default: threshold, in: threshold...100_000))
    }

    /// From `fold.smallestFederatedSet`; nil if it isn't set.
    static func federatedSizes(_ settings: Settings) throws -> SizeClasses? {
        guard settings.optionalString("fold.smallestFederatedSet") != nil else { return nil }
        let threshold = PublicationPolicy.smallestPackage
        return SizeClasses(
            smallest: try settings.int("fold.smallestFederatedSet", default: threshold, in: threshold...100_000))
    }

    /// The result of a fold.
    struct Report: Sendable, Equatable {
        /// The last folded hour.
        var lastHour: Int32
        /// How many uploads each folded hour had.
        var uploads: [Int] = []
        var keys = 0
        var reports = 0
        var venueReports = 0
        /// Keys and reports that were dropped at upload because they broke a rule.
        var left = UploadContent.LeftOut()
        /// Rows that no key opens, because this suite didn't write them or they were damaged.
        var unreadable = 0

        /// Hours with a single upload. For such an hour, anyone who knows that a person uploaded knows that nobody else did.
        var singleUploaderHours: Int { uploads.count { $0 == 1 } }

        var metadata: Logger.Metadata {
            [
                "hour": "\(lastHour)", "keys": "\(keys)", "reports": "\(reports)",
                "venue_reports": "\(venueReports)", "unreadable": "\(unreadable)",
                "single_uploader_hours": "\(singleUploaderHours)",
            ]
        }
    }

    /// Folds every hour that ended at or before an instant.
    ///
    /// 1. Create keys for the coming hours, and close the ended hours: no more uploads are sealed to them.
    /// 2. In one transaction, open the inbox, fill up each hour's keys and reports, insert them in the order of their content,
    ///    and empty the inbox.
    /// 3. Destroy the private keys of the closed hours.
    ///
    /// - Parameter present: what time it is, when the instant is past. Keys that have expired since are left out.
    /// - Throws: ``ClockAhead`` before the first step.
    func run(asOf instant: Date, present: Date = .distantPast) async throws -> Report {
        try await clock.require(instant)
        let last = Hour(endedBy: instant)
        let report: Report
        do {
            try await close(through: last)
            report = try await store.fold { try move(through: last, asOf: max(instant, present), in: $0) }
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

    /// Seconds after the hour. By then, an upload that began in the old hour is either stored or joins the new hour.
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

    /// How many hours of an outage are caught up on. Keys that waited longer have expired: a day's own key lasts the day, and 14 more.
    private static let longestOutage = 15 * 24

    /// Hours that were folded before stay as they are: a row that belongs to one joins the first hour after them.
    /// - Parameter instant: a key whose period has expired by then is left out, whenever it was uploaded.
    func move(through last: Hour, asOf instant: Date, in transaction: FoldTransaction) throws -> Report {
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
            let current = uploaded.keys.filter { Self.isCurrent($0.key, in: hour, at: instant) }
            let streams = Dictionary(grouping: current, by: \.stream).mapValues { $0.map(\.key.inWholeHours) }
            var random = SystemRandomNumberGenerator()
            var keys: [StreamedKey] = []
            for (stream, fillers) in self.streams {
                // A key may have been uploaded with different metadata: which of them counts follows from their content. One that was
                // uploaded with consent and without it goes to nobody else.
                let own = (streams[stream] ?? []) + (federatedSizes == nil ? streams[.federated] ?? [] : [])
                let new = own.sorted().filter { known.keys.insert($0.data).inserted }
                report.keys += new.count
                keys += fillers.fill(new, of: hour, at: instant, using: &random).map { StreamedKey($0, stream) }
            }
            let reports = uploaded.reports.sorted().filter { known.reports.insert($0).inserted }
            let venueReports = uploaded.venueReports.sorted().filter { known.venueReports.insert($0).inserted }
            try transaction.insert(
                keys.sorted(),
                fillers.fill(reports, using: &random).sorted(), fillers.fill(venueReports, using: &random).sorted(),
                hour: hour)
            report.uploads.append(uploaded.uploads)
            report.reports += reports.count
            report.venueReports += venueReports.count
            report.left.keys += uploaded.left.keys + uploaded.keys.count - current.count
            report.left.reports += uploaded.left.reports
        }
        try transaction.emptyInbox(through: last)
        return report
    }

    /// The streams of this country, with what fills them.
    private var streams: [(stream: KeyStream, fillers: Fillers)] {
        guard let federatedSizes else { return [(.home, fillers)] }
        return [(.home, fillers), (.federated, fillers.with(federatedSizes))]
    }

    /// Whether a key belongs to one of the days for which there is a partition, and hasn't expired. The server has looked already;
    /// but it may have been broken into, or the fold comes late.
    private static func isCurrent(_ key: DiagnosisKey, in hour: Hour, at instant: Date) -> Bool {
        let first = hour.day.advanced(by: -RollingPeriod.daysKept).firstInterval
        let end = hour.day.advanced(by: 1).firstInterval
        return first <= key.rollingPeriod.start && key.rollingPeriod.start < end
            && !key.rollingPeriod.hasExpired(at: instant)
    }

    /// What was folded before, or came from another country. What a phone uploads again, because it wasn't answered 200, counts once;
    /// and a key is published once, whichever way it took.
    private struct Known {
        var keys: Set<KeyData>
        var reports: Set<CheckInReport>
        var venueReports: Set<VenueReport>

        init(_ uploads: some Sequence<OpenedInbox.Hourly>, in transaction: FoldTransaction) throws {
            var keys: Set<KeyData> = []
            var reports: Set<CheckInReport> = []
            var venueReports: Set<VenueReport> = []
            for uploaded in uploads {
                for streamed in uploaded.keys { keys.insert(streamed.key.data) }
                reports.formUnion(uploaded.reports)
                venueReports.formUnion(uploaded.venueReports)
            }
            self.keys = try transaction.known(among: keys)
            self.reports = try transaction.known(among: reports)
            self.venueReports = try transaction.known(among: venueReports)
        }
    }
}

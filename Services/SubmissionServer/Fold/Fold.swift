import Crypto
import ExposureKeys
import FoundationEssentials
import HourKeys
import Logging
import Postgres
import Running
import Schema
import Venues

/// The hourly fold of uploads: fills up each hour's keys and reports, and stores them in the order of their content.
struct Fold: FoldProcess {
    let store: FoldStore
    let files: HourKeyFiles
    let clock: DatabaseClock
    let fillers: Fillers
    /// The sizes of the keys that other countries get; nil in a country without federation, where all keys are one stream.
    let federatedSizes: SizeClasses?
    let metrics: FoldMetrics<Report>
    let logger: Logger

    static let process = "fold"
    static let schema = Schema.submission
    static let role = DatabaseRole.fold
    /// Keys that waited longer have expired: a day's own key lasts the day, and 14 more.
    static let longestOutage = 15 * 24
    static let keepsEarlierRows = false

    init(
        store: FoldStore, files: HourKeyFiles, clock: DatabaseClock, fillers: Fillers,
        federatedSizes: SizeClasses? = nil, metrics: FoldMetrics<Report>, logger: Logger
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
    struct Report: FoldReport, Equatable {
        var lastHour: Int32 = 0
        /// How many uploads each folded hour had.
        var uploads: [Int] = []
        var keys = 0
        var reports = 0
        var venueReports = 0
        /// Keys and reports that were dropped at upload because they broke a rule.
        var left = UploadContent.LeftOut()
        var unreadable = 0

        var people: [Int] {
            get { uploads }
            set { uploads = newValue }
        }

        var metadata: Logger.Metadata {
            [
                "hour": "\(lastHour)", "keys": "\(keys)", "reports": "\(reports)",
                "venue_reports": "\(venueReports)", "unreadable": "\(unreadable)",
                "single_uploader_hours": "\(singlePersonHours)",
            ]
        }
    }

    func insert(
        _ hours: [(hour: Hour, content: UploadedHour)], asOf instant: Date, into report: inout Report,
        in transaction: FoldTransaction
    ) throws {
        var known = try Known(hours.map(\.content), in: transaction)
        for (hour, uploaded) in hours {
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
            report.reports += reports.count
            report.venueReports += venueReports.count
            report.left.keys += uploaded.left.keys + uploaded.keys.count - current.count
            report.left.reports += uploaded.left.reports
        }
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

        init(_ uploads: [UploadedHour], in transaction: FoldTransaction) throws {
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

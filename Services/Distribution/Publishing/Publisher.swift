import ExposureFormat
import ExposureKeys
import FoundationEssentials
import Logging
import ObjectStore
import Postgres
import Running
import Schema

/// Publishes hours; what a run does, step by step, is in ``PublishingRun``.
struct Publisher: Sendable {
    let store: DistributionStore
    /// No hour is published by a clock that is ahead of it.
    let clock: DatabaseClock
    var tree: any TreeStore
    let packages: PackageBuilder
    let policy: PublicationPolicy
    /// Each gets all keys.
    let regions: [String]
    /// The one that gets the check-in reports.
    let origin: String
    /// The most keys of a file. What a window has more is in further files (Corona-Warn-App sheet, 5.4).
    var keysPerFile = 600_000
    /// Nil when there are none but packages and indexes.
    let staticFolder: URL?
    /// Nil without a push dispatcher.
    let announcement: Announcement?
    let metrics: PublishingMetrics
    let logger: Logger

    /// What a run did.
    struct Report: Sendable, Equatable {
        /// The last hour that is published now; nil when none is.
        var lastHour: Int32?
        /// How many hours this run published.
        var newHours = 0
        /// Keys in them, in one region.
        var newKeys = 0
        /// Check-in reports in them.
        var newReports = 0
        /// Objects that were written or removed.
        var changes = 0
        /// Bytes of those that were written.
        var bytes = 0
        /// Static files that are wrong.
        var refusedFiles = 0
        /// What nothing has taken yet; nil if the run had no reason to look.
        var waiting: WaitingKeys?
        /// Whether an index of packages names others than before.
        var namesOthers = false

        /// Whether there is something that phones should look for: an hour took something, or a run before this one died when
        /// it had decided that and not yet said so.
        var isNews: Bool { namesOthers && lastHour != nil && (newKeys + newReports > 0 || newHours == 0) }

        var metadata: Logger.Metadata {
            [
                "hour": "\(lastHour.map(String.init) ?? "none")", "hours": "\(newHours)", "keys": "\(newKeys)",
                "reports": "\(newReports)", "changes": "\(changes)", "bytes": "\(bytes)",
                "refused_files": "\(refusedFiles)",
            ]
        }
    }

    /// Publishes every hour that ended at or before an instant and is folded. One run at a time: others wait for it.
    /// - Throws: ``ClockAhead`` before anything is published.
    func publish(asOf instant: Date, progress: ProgressBar = .hidden) async throws -> Report {
        let started = ContinuousClock.now
        try await clock.require(instant)
        let report = try await store.exclusively {
            var run = PublishingRun(publisher: self, present: try await tree.objects(), progress: progress)
            return try await run.publish(through: Hour(endedBy: instant))
        }
        progress.finish()
        // First of all: what fails after this isn't made up for by another announcement.
        if report.isNews { await announcement?.send() }
        var waiting = report.waiting
        if waiting == nil { waiting = try await store.waitingKeys(by: policy) }
        metrics.count(report, waiting: waiting ?? WaitingKeys(), at: instant, took: started.duration(to: .now))
        return report
    }

    /// Publishes at start, then at the configured minute of every hour (`run.minute`, default 5: the fold is done by then).
    func everyHour(in runtime: ServiceRuntime) throws -> RecurringJob {
        let minute = try runtime.configuration.int("run.minute", default: 5, in: 0...59)
        return RecurringJob("publish", in: runtime) { now in
            let inThisHour = Hour(containing: now).start.addingTimeInterval(Double(minute) * 60)
            return inThisHour > now ? inThisHour : inThisHour.addingTimeInterval(3600)
        } work: { now in
            try await publish(asOf: now).metadata
        }
    }
}

extension Publisher {
    /// From the keys of `distribution` that its README lists.
    init(database: PostgresClient, clock: DatabaseClock, runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        let store = DistributionStore(database)
        let origin = settings.string("origin", default: "DE")
        let configured = settings.list("regions")
        self.init(
            store: store, clock: clock, tree: try Self.tree(settings),
            packages: PackageBuilder(store: store, signing: try Signing(settings), clock: runtime.clock),
            policy: try Self.policy(settings),
            regions: configured.isEmpty ? [origin, "EUR"] : configured, origin: origin,
            staticFolder: settings.optionalString("static") == nil ? nil : try settings.directory("static"),
            announcement: try Announcement(runtime), metrics: PublishingMetrics(runtime.metrics), logger: runtime.logger
        )
    }

    /// A bucket if `s3.bucket` is set, else the directory.
    private static func tree(_ settings: Settings) throws -> any TreeStore {
        guard settings.optionalString("s3.bucket") != nil else {
            return DirectoryStore(root: try settings.directory("directory"))
        }
        guard settings.optionalString("directory") == nil else {
            throw settings.wrong("directory", "must not be set beside s3.bucket: the tree is published to one place")
        }
        // A store compares the time of a request with its own, whatever a rehearsal's clock says.
        return try S3Bucket(settings, clock: .system)
    }

    /// From `minimumKeys`.
    static func policy(_ settings: Settings) throws -> PublicationPolicy {
        PublicationPolicy(
            minimumKeys: try settings.int(
                "minimumKeys", default: PublicationPolicy.smallestPackage, in: 1...100_000))
    }
}

import ExposureFormat
import ExposureKeys
import FoundationEssentials
import Logging
import ObjectStore
import Postgres
import Running
import Schema

/// Publishes hours; ``PublishingRun`` has the steps.
struct Publisher: Sendable {
    let store: DistributionStore
    /// Refuses instants ahead of the database's clock.
    let clock: DatabaseClock
    var tree: any TreeStore
    let packages: PackageBuilder
    let policy: PublicationPolicy
    var regions: Regions
    /// The maximum number of keys in a file; a larger set is split.
    ///
    /// Corona-Warn-App has the same limit (`maximum-number-of-keys-per-bundle`):
    /// https://github.com/corona-warn-app/cwa-server/blob/main/services/distribution/src/main/resources/application.yaml
    var keysPerFile = 600_000
    /// The folder of static files; nil without one.
    let staticFolder: URL?
    /// Nil without a push dispatcher.
    let announcement: Announcement?
    let metrics: PublishingMetrics
    let refusedFiles = RefusedFiles()
    let logger: Logger

    /// The country that gets the check-in reports.
    var origin: String { regions.origin }

    /// The result of a run.
    struct Report: Sendable, Equatable {
        /// The last published hour; nil if there is none.
        var lastHour: Int32?
        /// How many hours this run published.
        var newHours = 0
        /// Home keys in them, counted for one region.
        var newKeys = 0
        /// Keys of other countries in them, counted once.
        var newForeignKeys = 0
        /// Check-in reports in them.
        var newReports = 0
        /// Venue reports in the bundles that were decided.
        var newVenueReports = 0
        /// Objects written or removed.
        var changes = 0
        /// Bytes written.
        var bytes = 0
        /// Invalid static files.
        var refused: [StaticFileProblem] = []
        var refusedFiles: Int { refused.count }
        /// Published static files that look like a mistake.
        var notices: [StaticFileProblem] = []
        /// Home keys that no hour has taken yet; nil if the run didn't look.
        var waiting: WaitingKeys?
        /// Whether an index changed.
        var changedIndex = false

        /// Whether phones should download: an hour took keys or reports, two hours had venue reports, or an earlier run was killed
        /// after that decision and before its announcement.
        var isNews: Bool {
            changedIndex && lastHour != nil
                && (newKeys + newForeignKeys + newReports + newVenueReports > 0 || newHours == 0)
        }

        var metadata: Logger.Metadata {
            [
                "hour": "\(lastHour.map(String.init) ?? "none")", "hours": "\(newHours)", "keys": "\(newKeys)",
                "foreign_keys": "\(newForeignKeys)", "reports": "\(newReports)", "venue_reports": "\(newVenueReports)",
                "changes": "\(changes)",
                "bytes": "\(bytes)",
                "refused_files": "\(refusedFiles)",
            ]
        }
    }

    /// Publishes every hour that ended at or before an instant and is folded, and takes expired keys out of packages. One run at
    /// a time: others wait for it.
    /// - Parameter present: what time it is, when the instant is past. Keys that have expired since aren't published.
    /// - Throws: ``ClockAhead`` before anything is published.
    func publish(
        asOf instant: Date, present: Date = .distantPast, progress: ProgressBar = .hidden
    ) async throws -> Report {
        let started = ContinuousClock.now
        let present = max(instant, present)
        try await clock.require(present)
        let report = try await store.exclusively { lead in
            let publisher = guarded(by: lead)
            try await publisher.tree.tryOut()
            let inventory = TreeInventory(
                listed: try await publisher.tree.objects(), recorded: try await store.publishedObjects())
            var run = PublishingRun(publisher: publisher, present: present, inventory: inventory, progress: progress)
            return try await run.publish(through: Hour(endedBy: instant))
        }
        progress.finish()
        refusedFiles.set(report.refused, notices: report.notices)
        // Announce first: if anything below fails, no later run announces these packages.
        if report.isNews { await announcement?.send() }
        var waiting = report.waiting
        if waiting == nil { waiting = try await store.waitingKeys(by: policy, at: present) }
        metrics.count(report, waiting: waiting ?? WaitingKeys(), at: instant, took: started.duration(to: .now))
        return report
    }

    /// Tries a store that nobody has published to, so that one that can't hold the tree is refused at start.
    ///
    /// Whatever else goes wrong is left to the run, which tries again.
    /// - Throws: ``UnsuitableStore``.
    func tryStore() async throws {
        do {
            guard try await tree.needsTrial() else { return }
            try await store.exclusively { lead in try await guarded(by: lead).tree.tryOut() }
        } catch let problem as UnsuitableStore {
            throw problem
        } catch {
            let reason = (error as? any OperatorProblem)?.description ?? "\(type(of: error))"
            logger.warning("the store could not be tried; the next run tries it", metadata: ["reason": "\(reason)"])
        }
    }

    /// Changes the tree only while it leads, and records what it changes. Rows need no such care: of two runs one can insert an hour.
    func guarded(by lead: Lead) -> Publisher {
        var publisher = self
        publisher.tree = GuardedTree(RecordedTree(tree: tree, store: store), confirming: lead.confirm)
        return publisher
    }

    /// Publishes at start, then at the configured minute of every hour (`run.minute`, default 5, when the fold is done).
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
    /// From the configuration keys that the README lists.
    /// - Parameter origin: the country, on which all services of the suite agree.
    init(database: PostgresClient, clock: DatabaseClock, origin: String, runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        let store = DistributionStore(database)
        self.init(
            store: store, clock: clock, tree: try settings.treeStore(),
            packages: PackageBuilder(store: store, signing: try Signing(settings), clock: runtime.clock),
            policy: try Self.policy(settings),
            regions: try Self.regions(settings, of: origin),
            staticFolder: settings.optionalString("static") == nil ? nil : try settings.directory("static"),
            announcement: try Announcement(runtime), metrics: PublishingMetrics(runtime.metrics), logger: runtime.logger
        )
    }

    /// From `regions`.
    static func regions(_ settings: Settings, of origin: String) throws -> Regions {
        let configured = settings.list("regions")
        guard configured.count <= Regions.most else {
            throw settings.wrong("regions", "must be at most \(Regions.most)")
        }
        return Regions(names: configured.isEmpty ? [origin, Regions.all] : configured, origin: origin)
    }

    /// From `lowestRiskLevel` and `minimumKeys`.
    static func policy(_ settings: Settings) throws -> PublicationPolicy {
        let level = try settings.int(
            "lowestRiskLevel", default: TransmissionRiskLevel.lowestPublished.rawValue, in: TransmissionRiskLevel.range)
        return PublicationPolicy(
            lowestLevel: TransmissionRiskLevel(rawValue: level) ?? .lowestPublished,
            minimumKeys: try settings.int(
                "minimumKeys", default: PublicationPolicy.smallestPackage, in: 1...100_000))
    }
}

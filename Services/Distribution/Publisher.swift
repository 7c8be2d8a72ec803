import ExposureFormat
import ExposureKeys
import FoundationEssentials
import Logging
import Postgres
import ServiceKit

/// Publishes hours: decides what each takes, builds and signs the packages, then writes the indexes that name them.
///
/// Everything a package holds follows from the folded keys and from the hours published before it, and signatures are
/// kept; so a run that is repeated, or that died anywhere, ends with the same bytes.
struct Publisher: Sendable {
    private let store: DistributionStore
    private let packages: PackageBuilder
    private let tree: PublishedTree
    private let policy: PublicationPolicy
    private let regions: [String]
    private let logger: Logger

    /// For how long the tree keeps a day's package, and an hour's.
    private static let daysKept = 14
    private static let hoursKept = 48

    /// What a run did.
    struct Report: Sendable, Equatable {
        /// The last hour that is published now; nil when none is.
        var lastHour: Int32?
        /// How many hours this run published.
        var newHours = 0
        /// Keys in them, in one region.
        var newKeys = 0
        /// Files that were written or removed.
        var changes = 0

        var metadata: Logger.Metadata {
            [
                "hour": "\(lastHour.map(String.init) ?? "none")", "hours": "\(newHours)", "keys": "\(newKeys)",
                "changes": "\(changes)",
            ]
        }
    }

    /// From the keys of `distribution` that its README lists.
    init(database: PostgresClient, runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        store = DistributionStore(database)
        packages = PackageBuilder(store: store, signing: try Signing(settings), clock: runtime.clock)
        tree = PublishedTree(root: try settings.directory("directory"))
        policy = PublicationPolicy(minimumKeys: try settings.int("minimumKeys", default: 140, in: 1...100_000))
        let configured = settings.list("regions")
        regions = configured.isEmpty ? ["DE", "EUR"] : configured
        logger = runtime.logger
    }

    /// Publishes every hour that ended at or before an instant and is folded. One run at a time: others wait for it.
    func publish(asOf instant: Date) async throws -> Report {
        try await store.exclusively {
            var report = Report()
            try await decide(through: Hour(endedBy: instant), &report)
            let hours = try await store.publishedHours()
            report.lastHour = hours.last?.hour.number
            let wanted = PublishedSet(hours: hours, hoursKept: Self.hoursKept, daysKept: Self.daysKept)
            let published = wanted.without(try await writePackages(of: wanted, &report))
            // Only now that every package is there may an index name it.
            for index in published.indexes(regions: regions) {
                report.changes += try tree.write(index.content, to: index.key) ? 1 : 0
            }
            report.changes += try tree.removePackages(notIn: published, regions: regions)
            return report
        }
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

    /// Settles for each new hour whether it takes everything that was waiting or, because that is too little, nothing.
    private func decide(through last: Hour, _ report: inout Report) async throws {
        guard let folded = try await store.foldedHours() else { return }
        let published = try await store.publishedHours()
        var lastFilled = published.last { $0.keys > 0 }?.hour
        let first = published.last?.hour.advanced(by: 1) ?? folded.lowerBound
        let end = min(last, folded.upperBound)
        guard first <= end else { return }
        for hour in first...end {
            let waiting = try await store.keys(releasedAfter: lastFilled, through: hour, by: policy).count
            let taken = waiting >= policy.minimumKeys ? waiting : 0
            try await store.insertPublishedHour(hour, keys: taken)
            if taken > 0 { lastFilled = hour }
            report.newHours += 1
            report.newKeys += taken
        }
    }

    /// Writes the packages that the tree doesn't have.
    /// - Returns: those that can't be built again, because the tree lost them and some of their keys have expired since.
    ///   With what is left they would have other bytes than phones know, and perhaps too few keys.
    private func writePackages(
        of published: PublishedSet, _ report: inout Report
    ) async throws -> Set<KeyPackage.Kind> {
        var lost: Set<KeyPackage.Kind> = []
        for package in published.packages {
            let missing = regions.filter { !tree.exists(package.key(region: $0)) }
            if missing.isEmpty { continue }
            // They may be many: they are read once for all regions.
            let keys = try await keys(of: package)
            guard keys.count == package.keys else {
                lost.insert(package.kind)
                continue
            }
            for region in missing {
                let archive = try await packages.build(keys, hours: package.hours, region: region)
                try tree.write(archive, to: package.key(region: region))
                report.changes += 1
            }
        }
        if !lost.isEmpty {
            logger.warning(
                "Packages that were lost can't be built again and are no longer offered",
                metadata: ["packages": "\(lost.count)"])
        }
        return lost
    }

    private func keys(of package: KeyPackage) async throws -> [DiagnosisKey] {
        guard let (after, through) = package.released else { return [] }
        return try await store.keys(releasedAfter: after, through: through, by: policy)
    }
}

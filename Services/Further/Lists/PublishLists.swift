import FoundationEssentials
import Logging
import Loop
import ObjectStore
import Postgres
import PublishedTree
import Running
import Schema

/// Builds the lists again at every multiple of five minutes (UTC): `/data`, `/responses` and `/features`.
///
/// A list has all reports that were acknowledged before its instant, except those of batches, which come at times of their own. Lists
/// are replaced as a whole. Any number of replicas that share a folder or bucket may run; one builds each list.
struct PublishLists: Sendable {
    let reports: PublicReports
    var store: any TreeStore
    /// The file with the switches; nil for all on.
    let features: URL?
    let databaseClock: DatabaseClock
    let logger: Logger

    /// The time between two lists, in seconds.
    static let interval: Double = 300

    /// Says for which instant lists were built: written after them. Nobody is served it.
    static let builtKey = TreeKey("version/v1/further/built")

    /// At startup and at every multiple of five minutes.
    func always(in runtime: ServiceRuntime) -> RecurringJob {
        RecurringJob("lists", in: runtime, due: Self.following) { now in
            ["built": "\(try await publish(at: now))"]
        }
    }

    /// The next instant after one for which lists are built.
    @Sendable static func following(_ now: Date) -> Date { latest(now).addingTimeInterval(interval) }

    private static func latest(_ now: Date) -> Date {
        Date(timeIntervalSince1970: (now.timeIntervalSince1970 / interval).rounded(.down) * interval)
    }

    /// Builds the lists of the last multiple of five minutes.
    /// - Parameter again: also if they are there.
    /// - Returns: whether it did.
    @discardableResult
    func publish(at now: Date, again: Bool = false) async throws -> Bool {
        try await databaseClock.require(now)
        let instant = Self.latest(now)
        let number = Int64(instant.timeIntervalSince1970)
        return try await reports.exclusively { lead in
            var led = self
            led.store = GuardedTree(store, confirming: lead.confirm)
            // A process whose clock is a little ahead may have built the next list already.
            if !again, let built = try await led.built(), (number...number + Int64(Self.interval)).contains(built) {
                return false
            }
            try await led.build(at: instant)
            try await led.store.write(Array("\(number)".utf8), to: Self.builtKey)
            return true
        }
    }

    private func built() async throws -> Int64? {
        try await store.read(Self.builtKey).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    /// One list after the other: memory has room for one.
    private func build(at instant: Date) async throws {
        var reports = try await reports.read(at: instant)
        reports.sortByID()
        try await write(ReportListEncoder.encode(reports.lazy.map(\.forPhones)), to: .data)
        try reports.rotateIDs()
        try await write(ReportListEncoder.encode(reports), to: .responses)
        try await publishFeatures()
    }

    /// The compressed form first: where there is a list, there is its compressed form.
    private func write(_ content: [UInt8], to list: FurtherList) async throws {
        try await store.write(Self.compressed(content), to: list.compressedKey)
        try await store.write(content, to: list.key)
    }

    private static func compressed(_ content: [UInt8]) async throws -> [UInt8] {
        try await Blocking.run { try Gzip.compress(content) }
    }

    /// The switches that were published stay if the file isn't valid.
    private func publishFeatures() async throws {
        guard let features else { return try await write(FeatureSwitches().json, to: .features) }
        if let switches = FeatureSwitches.read(features) {
            try await write(switches.json, to: .features)
        } else {
            logger.warning("features file is invalid; switches stay as they are")
            if try await store.read(FurtherList.features.key) == nil {
                try await write(FeatureSwitches().json, to: .features)
            }
        }
    }
}

extension PublishLists {
    /// As a service's settings say: `lists.ageFrom`, `features.file`, and where the tree is.
    init(_ database: PostgresClient, by clock: DatabaseClock, _ runtime: ServiceRuntime) throws {
        let settings = runtime.configuration
        self.init(
            reports: PublicReports(database, countingFrom: try PublicReports.Age(settings)),
            store: try settings.treeStore(),
            features: settings.optionalString("features.file").map { URL(filePath: $0) },
            databaseClock: clock, logger: runtime.logger)
    }
}

import Credentials
import ExposureKeys
import Foundation
import HourKeys
import Logging
import Postgres
import Running
import Schema
import TestSupport
import Venues

@testable import SubmissionServer

/// Inbox and fold on a database and a key directory of their own, without the front door. Each is connected as its own process
/// connects.
struct FoldStage: Sendable {
    let database: MigratedDatabase
    /// Connected as the server that accepts uploads.
    let server: PostgresClient
    /// Connected as the fold.
    let folding: PostgresClient
    let directory: URL
    let clock: ManualClock
    /// The database's clock shows this when it is later than ``clock``.
    private let hoursFolded: ManualClock
    private let databaseClock: DatabaseClock
    let inbox: Inbox
    let fold: Fold
    let metrics: PrometheusMetrics

    /// A stage whose clock shows ``Samples/now``, with keys for its hour and those to come.
    /// - Parameters:
    ///   - federatedSizes: the sizes of what other countries get; nil for a country without federation.
    static func run<Result: Sendable>(
        sizes: SizeClasses = smallest, federatedSizes: SizeClasses? = nil,
        _ body: @Sendable (FoldStage) async throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withMigratedDatabase { database in
            try await run(on: database, sizes: sizes, federatedSizes: federatedSizes, body)
        }
    }

    /// What is shipped.
    static let smallest = SizeClasses(smallest: PublicationPolicy.smallestPackage)

    static func run<Result: Sendable>(
        on database: MigratedDatabase, sizes: SizeClasses = smallest, federatedSizes: SizeClasses? = nil,
        _ body: (FoldStage) async throws -> Result
    ) async throws -> Result {
        try await withKeyDirectory { directory in
            try await TestPostgres.withClient(database.connection(as: .fold), maximumConnections: 8) { folding in
                try await TestPostgres.withClient(database.connection(as: .submission), maximumConnections: 8) {
                    server in
                    try await run(
                        database, server: server, folding: folding, directory, sizes, federatedSizes, body)
                }
            }
        }
    }

    /// A directory for private keys that exists for as long as the body takes.
    static func withKeyDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "vigil-keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }

    private static func run<Result: Sendable>(
        _ database: MigratedDatabase, server: PostgresClient, folding: PostgresClient, _ directory: URL,
        _ sizes: SizeClasses, _ federatedSizes: SizeClasses?, _ body: (FoldStage) async throws -> Result
    ) async throws -> Result {
        let clock = ManualClock(Samples.now)
        let hoursFolded = ManualClock(Samples.now)
        let latest = WallClock(
            { max(clock.now, hoursFolded.now) }, movedBy: { max(clock.now, hoursFolded.now).timeIntervalSinceNow })
        let databaseClock = DatabaseClock(of: server, movedLike: latest)
        let metrics = PrometheusMetrics()
        let stage = FoldStage(
            database: database, server: server, folding: folding, directory: directory, clock: clock,
            hoursFolded: hoursFolded,
            databaseClock: databaseClock, inbox: inbox(on: server, by: databaseClock, clock),
            fold: Fold(
                store: FoldStore(folding), files: HourKeyFiles(directory: directory),
                clock: DatabaseClock(of: folding, movedLike: latest),
                fillers: Fillers(sizes: sizes), federatedSizes: federatedSizes,
                metrics: FoldMetrics(metrics), logger: Logger(label: "test") { _ in quiet }), metrics: metrics)
        try await stage.fold.store.makeKeys(from: Samples.hour, count: 3, in: stage.fold.files)
        return try await running(stage.inbox) { _ in try await body(stage) }
    }

    private static func inbox(
        on server: PostgresClient, by databaseClock: DatabaseClock, _ clock: ManualClock
    ) -> Inbox {
        let store = InboxStore(server)
        return Inbox(
            store: store, current: store.currentKey(by: databaseClock), clock: clock.clock)
    }

    /// Another server's inbox on the same database, for as long as the body takes.
    func withReplica<Result>(_ clock: ManualClock, _ body: (Inbox) async throws -> Result) async throws -> Result {
        try await Self.running(Self.inbox(on: server, by: databaseClock, clock), body)
    }

    private static func running<Result>(
        _ inbox: Inbox, _ body: (Inbox) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await inbox.run() }
            defer { group.cancelAll() }
            return try await body(inbox)
        }
    }

    private static let quiet = SwiftLogNoOpLogHandler()

    /// Stores an upload at the clock's time, under a tag that nothing else has.
    func upload(_ keys: [DiagnosisKey]) async throws {
        try await upload(UploadContent(keys: keys))
    }

    func upload(_ content: UploadContent) async throws {
        try await inbox.take(content, tag: Digest(sha256: UUID().uuidString.utf8), isKept: true)
    }

    /// Folds what ended at or before the beginning of an hour, which the database's clock shows then; ``clock`` stays.
    @discardableResult
    func fold(before hour: Hour) async throws -> Fold.Report {
        hoursFolded.set(max(hoursFolded.now, hour.start))
        return try await fold.run(asOf: hour.start)
    }

    /// Folds what ended at or before the clock's time.
    func foldNow() async throws {
        _ = try await fold.run(asOf: clock.now)
    }

    // MARK: What is in the database, as nobody but its owner sees it

    struct FoldedKey: Hashable, Sendable {
        let hour: Hour
        let data: KeyData
    }

    /// Those that were uploaded, without fillers, hour by hour in the order of the tables' pages.
    func foldedKeys() async throws -> [FoldedKey] {
        try await asSuperuser { session in
            try session.rows(
                "SELECT hour, key_data FROM submission.diagnosis_key ORDER BY hour, tableoid, ctid",
                as: Int32.self, [UInt8].self
            ).compactMap { hour, data in
                KeyData(data).flatMap { Samples.isSample($0) ? FoldedKey(hour: Hour(number: hour), data: $0) : nil }
            }
        }
    }

    /// Those that were uploaded, without fillers, in the order of the table's pages.
    func foldedReports() async throws -> [CheckInReport] {
        try await asSuperuser { session in
            try session.rows(
                """
                SELECT location_id_hash || initialization_vector || encrypted_record || authentication_code
                FROM submission.check_in_report ORDER BY tableoid, ctid
                """, as: [UInt8].self
            ).compactMap { CheckInReport($0) }.filter(Samples.isSample)
        }
    }

    struct FoldedHour: Hashable, Sendable {
        let hour: Hour
        /// Without fillers.
        let keys: Int
    }

    func foldedHours() async throws -> [FoldedHour] {
        let keys = Dictionary(grouping: try await foldedKeys(), by: \.hour)
        return try await asSuperuser { session in
            try session.rows("SELECT hour FROM submission.folded_hour ORDER BY hour", as: Int32.self)
        }.map { FoldedHour(hour: Hour(number: $0), keys: keys[Hour(number: $0)]?.count ?? 0) }
    }

    /// How many uploads wait.
    func waiting() async throws -> Int {
        try await count("SELECT count(*) FROM submission.inbox")
    }

    func count(_ query: SQL) async throws -> Int {
        try await asSuperuser { session in Int(try session.row(query, as: Int64.self) ?? -1) }
    }

    func asSuperuser<Result: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Result
    ) async throws -> Result {
        try await TestPostgres.withClient(database.superuserConnection, maximumConnections: 1) { client in
            try await client.session(body)
        }
    }

    /// The hours whose private keys exist.
    func keyFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    /// Everything that must be the same however a fold came to its end.
    struct Outcome: Equatable, Sendable {
        let keys: [FoldedKey]
        let hours: [FoldedHour]
        let waiting: Int
        let files: [String]
        let openKeys: Int
    }

    func outcome() async throws -> Outcome {
        Outcome(
            keys: try await foldedKeys(), hours: try await foldedHours(), waiting: try await waiting(),
            files: try keyFiles(),
            openKeys: try await count("SELECT count(*) FROM submission.hour_key WHERE NOT closed"))
    }
}

extension URL {
    /// Where the private key of an hour lies.
    func key(of hour: Hour) -> URL { appending(path: "hour-\(hour.number).key") }
}

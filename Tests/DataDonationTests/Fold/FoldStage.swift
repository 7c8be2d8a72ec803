import Credentials
import DonationFormat
import ExposureKeys
import Foundation
import HourKeys
import Logging
import Postgres
import Running
import Schema
import TestSupport

@testable import DataDonation

/// Inbox and fold of donations on a database and a key directory of their own, without the front door. Each is connected as its own process
/// connects.
struct FoldStage: Sendable {
    let database: MigratedDatabase
    /// Connected as the server that admits apps.
    let server: PostgresClient
    /// Connected as the fold.
    let folding: PostgresClient
    let directory: URL
    /// The server's clock and the database's.
    let clock: ManualClock
    let inbox: DonationInbox
    let fold: Fold
    let metrics: PrometheusMetrics

    /// 2026-11-10, from nine to ten.
    static let hour = Hour(number: 498_417)
    static let next = hour.advanced(by: 1)

    /// A stage whose clock shows a quarter past nine, with keys for its hour and those to come.
    static func run<Result: Sendable>(
        on database: MigratedDatabase? = nil, _ body: @Sendable (FoldStage) async throws -> Result
    ) async throws -> Result {
        if let database { return try await run(connectedTo: database, body) }
        return try await TestPostgres.withMigratedDatabase { try await run(connectedTo: $0, body) }
    }

    private static func run<Result: Sendable>(
        connectedTo database: MigratedDatabase, _ body: (FoldStage) async throws -> Result
    ) async throws -> Result {
        try await withScratchFolder { folder in
            try await TestPostgres.withClient(database.connection(as: .donationFold), maximumConnections: 4) {
                folding in
                try await TestPostgres.withClient(database.connection(as: .donation), maximumConnections: 8) { server in
                    let clock = ManualClock(hour.start.addingTimeInterval(900))
                    let metrics = PrometheusMetrics()
                    let databaseClock = DatabaseClock(of: server, movedLike: clock.clock)
                    let directory = URL(filePath: folder)
                    let stage = FoldStage(
                        database: database, server: server, folding: folding, directory: directory, clock: clock,
                        inbox: DonationInbox(
                            DonationStore(server), databaseClock: databaseClock, clock: clock.clock),
                        fold: Fold(
                            store: FoldStore(folding), files: HourKeyFiles(directory: directory),
                            clock: DatabaseClock(of: folding, movedLike: clock.clock), metrics: FoldMetrics(metrics),
                            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
                        metrics: metrics)
                    try await stage.fold.close(through: hour.advanced(by: -1))
                    return try await body(stage)
                }
            }
        }
    }

    /// Another server's inbox on the same database.
    func replica(_ clock: ManualClock) -> DonationInbox {
        DonationInbox(
            DonationStore(server), databaseClock: DatabaseClock(of: server, movedLike: self.clock.clock),
            clock: clock.clock)
    }

    /// Stores a donation at the clock's time, under a tag and with evidence that nothing else has.
    func donate(_ data: AnalyticsData, to inbox: DonationInbox? = nil) async throws {
        try await (inbox ?? self.inbox).take(data, tag: Self.unique, admittedBy: Self.admission)
    }

    static var unique: Digest { Digest(sha256: UUID().uuidString.utf8) }

    /// By evidence that nobody else has shown.
    static var admission: Admission {
        Admission(
            platform: .android, isStrong: true, use: .once(unique, lastHour: hour.number + 24), subject: nil)
    }

    /// Lets an hour pass and folds.
    @discardableResult
    func foldNextHour() async throws -> Fold.Report {
        clock.set(Hour(containing: clock.now).end.addingTimeInterval(2))
        return try await fold.run(asOf: clock.now)
    }

    // MARK: What is in the database, as nobody but its owner sees it

    /// The tables of donated data.
    static let tables = [
        "user_group", "client", "exposure_risk", "exposure_window", "test_result", "key_submission_by_user",
        "key_submission_by_client",
    ]

    /// The rows of a table as text, in the order of its pages.
    func rows(_ table: String) async throws -> [String] {
        guard let name = Identifier(validating: table) else { return [] }
        return try await asSuperuser { session in
            try session.rows(
                "SELECT t::text FROM donation.\(identifier: name) AS t ORDER BY tableoid::regclass::text, ctid",
                as: String.self)
        }
    }

    /// All that is in the tables of donated data.
    func everything() async throws -> [String: [String]] {
        var rows: [String: [String]] = [:]
        for table in Self.tables { rows[table] = try await self.rows(table) }
        return rows
    }

    /// How many donations wait.
    func waiting() async throws -> Int {
        try await asSuperuser { Int(try $0.row("SELECT count(*) FROM donation.inbox", as: Int64.self) ?? -1) }
    }

    func foldedHours() async throws -> [Hour] {
        try await asSuperuser { session in
            try session.rows("SELECT hour FROM donation.folded_hour ORDER BY hour", as: Int32.self)
        }.map(Hour.init(number:))
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
        let rows: [String: [String]]
        let hours: [Hour]
        let waiting: Int
        let files: [String]
    }

    func outcome() async throws -> Outcome {
        Outcome(
            rows: try await everything(), hours: try await foldedHours(), waiting: try await waiting(),
            files: try keyFiles())
    }
}

extension URL {
    /// Where the private key of an hour lies.
    func key(of hour: Hour) -> URL { appending(path: "hour-\(hour.number).key") }
}

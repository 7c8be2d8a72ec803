import Calling
import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import Postgres
import Running
import SubmissionAPI
import TestSupport
import Testing
import VerificationAPI

@testable import VerificationServer

/// The data of an attacker who seizes the database server of verification and submission before the hour is folded.
///
/// He has the tables with PostgreSQL's hidden columns, the whole write-ahead log and both services' keys, but no phone. From
/// the times he knows which use of a TAN belongs to which row of the inbox. He wants to know whose test authorised it.
struct SeizedRegistrations {
    /// The visible facts about a row.
    private struct Trace {
        var text = ""
        var xmin = 0
        /// Its position in the table's pages, from 0 to 1.
        var rank = 0.0
        var records: [WriteAheadLog.Record] = []
        var commits: [Int] = []
        /// Its position in the order of last writes, from 0 to 1.
        var turn = 0.0
    }

    /// The rows of one phone.
    private struct Phones {
        var session: Trace
        var use: Trace
        var upload: Trace
    }

    private let phones: [Phones]

    /// How the suite issues TANs.
    enum Way: Sendable {
        /// The suite's own way.
        case asBuilt
        /// With a note in the session that the TAN was used, which moves the row to the end of the table.
        ///
        /// The control must detect this.
        case noted
    }

    // MARK: Clues

    static let clues = ["TAN", "inbox"].flatMap { row in
        ["transaction number", "shared transaction", "place", "log distance", "commit time", "order", "equal bytes"].map
        {
            "\(row): \($0)"
        }
    }

    /// One question for each pair of phones: one of them has uploaded; which of the two sessions is its own?
    var questions: [Question] {
        stride(from: 0, to: phones.count - 1, by: 2).map { number in
            let (right, wrong) = (phones[number], phones[number + 1])
            return Question(
                right: Self.clues(right.session, right.use) + Self.clues(right.session, right.upload),
                wrong: Self.clues(wrong.session, right.use) + Self.clues(wrong.session, right.upload))
        }
    }

    private static func clues(_ session: Trace, _ other: Trace) -> [Double] {
        func least(_ one: [Int], _ another: [Int]) -> Double {
            log1p(Double(one.flatMap { a in another.map { abs(a - $0) } }.min() ?? 0))
        }
        let shared = Set(session.records.map(\.transaction)).intersection(other.records.map(\.transaction))
        return [
            Double(abs(session.xmin - other.xmin)), shared.isEmpty ? 1 : 0, abs(session.rank - other.rank),
            least(session.records.map(\.position), other.records.map(\.position)),
            least(session.commits, other.commits), abs(session.turn - other.turn),
            Double(windows(session.text).intersection(windows(other.text)).count),
        ]
    }

    /// All runs of twelve hexadecimal digits. Two random rows share one by chance once in billions of cases.
    private static func windows(_ text: String) -> Set<Substring> {
        let runs = text.split { !$0.isHexDigit }
        return Set(
            runs.flatMap { run in
                (0..<max(0, run.count - 11)).map { run.dropFirst($0).prefix(12) }
            })
    }

    // MARK: Seizing it

    /// Registers phones in one random order, uploads in another, one after the other, and then seizes everything.
    static func after(_ count: Int, _ way: Way, seed: UInt64) async throws -> SeizedRegistrations {
        let programs = try #require(PrivateServer.programs)
        return try await PrivateServer.with(programs, settings: ["wal_level=replica", "wal_keep_size=8GB"]) { server in
            let database = try await MigratedDatabase(migrating: server.connection)
            let taken = try await InProcessSuite.run(clock: .system, on: database) { suite in
                try await live(count, way, seed: seed, in: suite)
            }
            await server.stop()
            return SeizedRegistrations(taken, try WriteAheadLog(of: server))
        }
    }

    private struct Taken: Sendable {
        let sessions: [Row]
        let uses: [Row]
        let uploads: [Row]
    }

    /// A row with its hidden columns.
    private struct Row: Sendable {
        let text: String
        let xmin: Int
        let file: String
        let block: Int
        let line: Int
    }

    private static func live(_ count: Int, _ way: Way, seed: UInt64, in suite: InProcessSuite) async throws -> Taken {
        var random = SeededGenerator(seed: seed)
        let guids = (0..<count).map { HashedGUID(hashing: "guid \(seed) \($0)") }
        let tans = IssuedTANs(key: try suite.tanKey, lifetime: 24, uploads: 1)
        return try await TestPostgres.withClient(suite.database.superuserConnection) { client in
            try await client.session { session in
                try session.execute(
                    """
                    INSERT INTO test_results.result (id, code, sample_collected, created_at)
                    SELECT id, 2, 0, now() FROM unnest(\(guids.map(\.text))) AS id
                    """)
            }
            return try await suite.withDirectCallers { apps, uploads in
                var registered: [Int: RegistrationToken] = [:]
                for number in (0..<count).shuffled(using: &random) {
                    registered[number] = try await apps.call(
                        VerificationAPI.registrationToken, RegistrationTokenRequest(.guid(guids[number]))
                    ).registrationToken
                }
                let tokens = (0..<count).compactMap { registered[$0] }
                var (digests, tags) = ([Digest?](repeating: nil, count: count), [[UInt8]](repeating: [], count: count))
                for number in (0..<count).shuffled(using: &random) {
                    let tan = try await apps.call(VerificationAPI.tan, RegisteredTestRequest(tokens[number])).tan
                    let claims = try #require(tans.claims(of: tan, at: Date()))
                    let known = tags
                    _ = try await uploads.call(
                        SubmissionAPI.diagnosisKeys,
                        UploadRequest(authorization: tan.text, payload: try payload(using: &random)))
                    let use = tans.use(of: claims)
                    digests[number] = use
                    let token = tokens[number].digest
                    tags[number] = try await client.transaction { session in
                        if way == .noted {
                            try session.execute(
                                """
                                WITH noted AS (
                                    DELETE FROM verification.session WHERE token_digest = \(token.bytes) RETURNING *
                                )
                                INSERT INTO verification.session (
                                    token_digest, hashed_guid, hashed_guid_dob, created_hour
                                )
                                SELECT token_digest, hashed_guid, encode(\(use.bytes), 'hex'), created_hour FROM noted
                                """)
                            try session.execute(
                                "UPDATE verification.used_tan SET confirmed = true WHERE digest = \(use.bytes)")
                        }
                        return try #require(
                            try session.row(
                                "SELECT tag FROM submission.inbox WHERE tag <> ALL (\(known))", as: [UInt8].self))
                    }
                }
                let (sessions, uses, rows) = (tokens.map(\.digest.bytes), digests.compactMap { $0?.bytes }, tags)
                return try await client.session { session in
                    Taken(
                        sessions: try read("verification.session", "token_digest", sessions, in: session),
                        uses: try read("verification.used_tan", "digest", uses, in: session),
                        uploads: try read("submission.inbox", "tag", rows, in: session))
                }
            }
        }
    }

    /// An upload with yesterday's key.
    private static func payload(using random: inout SeededGenerator) throws -> Data {
        var payload = SubmissionPayload()
        payload.origin = "DE"
        var key = TemporaryExposureKey()
        key.keyData = withUnsafeBytes(of: (random.next(), random.next())) { Data($0) }
        key.rollingStartIntervalNumber = Int32(Day(containing: Date()).advanced(by: -1).firstInterval.rawValue)
        key.rollingPeriod = 144
        key.transmissionRiskLevel = 5
        key.daysSinceOnsetOfSymptoms = 1
        payload.keys = [key]
        return Data(try payload.encoded())
    }

    /// The rows of a table with these keys, in the order of the keys.
    private static func read(
        _ table: SQL, _ column: SQL, _ keys: [[UInt8]], in session: Session
    ) throws -> [Row] {
        let rows = try session.rows(
            """
            SELECT left(found::text, 300), found.xmin::text::bigint, pg_relation_filenode(found.tableoid)::text,
                (found.ctid::text::point)[0]::bigint, (found.ctid::text::point)[1]::bigint
            FROM unnest(\(keys)) WITH ORDINALITY AS wanted (key, position)
            JOIN \(table) AS found ON found.\(column) = wanted.key ORDER BY position
            """, as: String.self, Int64.self, String.self, Int64.self, Int64.self)
        return rows.map { Row(text: $0.0, xmin: Int($0.1), file: $0.2, block: Int($0.3), line: Int($0.4)) }
    }

    private init(_ taken: Taken, _ log: WriteAheadLog) {
        let sessions = Self.traces(taken.sessions, log)
        let uses = Self.traces(taken.uses, log)
        let uploads = Self.traces(taken.uploads, log)
        phones = sessions.indices.map { Phones(session: sessions[$0], use: uses[$0], upload: uploads[$0]) }
    }

    private static func traces(_ rows: [Row], _ log: WriteAheadLog) -> [Trace] {
        var traces = rows.map { row in
            let records =
                log.records.first { place, _ in
                    place.block == row.block && place.line == row.line && place.file.hasSuffix("/" + row.file)
                }?.value ?? []
            return Trace(
                text: row.text, xmin: row.xmin, records: records,
                commits: records.compactMap { log.commits[$0.transaction] })
        }
        let places = rows.indices.sorted { (rows[$0].block, rows[$0].line) < (rows[$1].block, rows[$1].line) }
        for (rank, row) in places.enumerated() { traces[row].rank = Double(rank) / Double(rows.count) }
        let turns = rows.indices.sorted {
            (traces[$0].records.last?.position ?? 0) < (traces[$1].records.last?.position ?? 0)
        }
        for (turn, row) in turns.enumerated() { traces[row].turn = Double(turn) / Double(rows.count) }
        return traces
    }

    // MARK: Checking the search

    /// The share of rows for which the log has a record and its commit.
    var found: Double {
        let traces = phones.flatMap { [$0.session, $0.use, $0.upload] }
        return Double(traces.count { !$0.records.isEmpty && !$0.commits.isEmpty }) / Double(max(1, traces.count))
    }

    /// Whether any use of a TAN has bytes in common with a row of the inbox.
    var sharesBytesWithInbox: Bool {
        phones.contains { !Self.windows($0.use.text).isDisjoint(with: Self.windows($0.upload.text)) }
    }
}

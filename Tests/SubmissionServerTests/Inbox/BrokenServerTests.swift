import Credentials
import ExposureKeys
import Foundation
import HourKeys
import Logging
import Postgres
import Running
import Schema
import TestSupport
import Testing

import enum Crypto.Curve25519

@testable import SubmissionServer

/// Somebody has broken into the server that accepts uploads: he has its database role, its configuration and its memory, and
/// wants what was uploaded before he came.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct BrokenServerTests {
    private static let hour = Samples.hour
    private static let bytes = [UInt8](repeating: 9, count: 32)

    /// What he tries with the inbox, and what only the fold may do with it.
    private static let onInbox: [SQL] = [
        "SELECT sealed FROM submission.inbox", "SELECT tag FROM submission.inbox",
        "SELECT count(*) FROM submission.inbox",
        "DELETE FROM submission.inbox",
    ]
    /// What nobody may do, the fold included.
    private static let denied: [SQL] = [
        "UPDATE submission.hour_key SET public_key = \(bytes)",
        "UPDATE submission.hour_key SET hour = hour + 1000",
        "INSERT INTO submission.inbox (tag, hour, sealed) VALUES (\(bytes), \(hour.number), \(bytes))",
        "UPDATE submission.inbox SET tag = \(bytes)",
        "TRUNCATE submission.inbox", "TRUNCATE submission.hour_key",
        "DROP FUNCTION submission.store_uploads(integer, bytea, bytea[], bytea[])",
        "ALTER FUNCTION submission.store_uploads(integer, bytea, bytea[], bytea[]) SECURITY INVOKER",
        "CREATE TRIGGER copy AFTER DELETE ON submission.inbox EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    ]
    /// What is the fold's to do.
    private static let onHours: [SQL] = [
        "UPDATE submission.hour_key SET closed = true WHERE hour < 0",
        "INSERT INTO submission.hour_key (hour, public_key) VALUES (1, \(bytes))",
        "DELETE FROM submission.hour_key WHERE hour = 1",
        "SELECT submission.take_fold_lock()", "SELECT submission.ensure_day(20600)",
        "SELECT submission.drop_days_before(1)", "SELECT submission.delete_keys_ended_before(1)",
        "SELECT key_data FROM submission.diagnosis_key", "SELECT hour FROM submission.check_in_report",
        "SELECT hour FROM submission.folded_hour",
    ]

    private static func isDenied(_ statement: SQL, to client: PostgresClient) async throws -> Bool {
        do {
            try await client.session { try $0.execute(statement) }
            return false
        } catch let error as PostgresError where error.sqlState == .insufficientPrivilege {
            return true
        }
    }

    @Test("the server's database role opens no earlier upload and replaces no key; the fold's role can do its work")
    func role() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<3))
            for statement in Self.onInbox + Self.onHours + Self.denied + ["SET ROLE vigil_fold"] {
                #expect(try await Self.isDenied(statement, to: stage.server), "\(statement)")
            }
            for statement in Self.denied + ["SET ROLE vigil_submission"] {
                #expect(try await Self.isDenied(statement, to: stage.folding), "\(statement)")
            }
            // The control: with the other role, and the private keys, the row is there and can be opened.
            #expect(try await stage.fold(before: Self.hour.advanced(by: 1)).keys == 3)
            for statement in Self.onInbox + Self.onHours {
                #expect(try await !Self.isDenied(statement, to: stage.folding), "\(statement)")
            }
        }
    }

    @Test("what the server holds opens no row: of an hour it has the public key")
    func memory() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<3))
            // Say that he has a backup of the database, too.
            let (tag, sealed) = try #require(
                try await stage.asSuperuser { session in
                    try session.row("SELECT tag, sealed FROM submission.inbox", as: [UInt8].self, [UInt8].self)
                })
            let row = (tag: try #require(Digest(bytes: tag)), sealed: SealedUpload(bytes: sealed))
            let known = try #require(try await InboxStore(stage.server).openKey(atOrAfter: Self.hour))
            let privateKey = try stage.fold.files.read(Self.hour)
            #expect(privateKey.publicKey.rawRepresentation == known.key.rawRepresentation)
            let guess = try #require(
                try? UploadOpener(
                    hour: Self.hour, key: .init(rawRepresentation: known.key.rawRepresentation)))
            #expect(guess.open(row.sealed, tag: row.tag) == nil)
            // The control.
            #expect(UploadOpener(hour: Self.hour, key: privateKey).open(row.sealed, tag: row.tag)?.keys.count == 3)
        }
    }

    @Test(
        "rows for a closed hour, an hour without a key, or another key of an hour aren't stored: they would stop the fold"
    )
    func strangeHours() async throws {
        try await FoldStage.run { stage in
            let store = InboxStore(stage.server)
            try await stage.fold(before: Self.hour)
            let open = try #require(try await store.openKey(atOrAfter: Self.hour))
            let other = Curve25519.KeyAgreement.PrivateKey().publicKey
            let row = InboxRow(tag: Samples.tag(1), hour: Self.hour, sealed: SealedUpload(bytes: Self.bytes))
            let strange =
                [Self.hour.advanced(by: -1), Self.hour.advanced(by: 1000), Hour(number: 0), Hour(number: -5)].map {
                    HourPublicKey(hour: $0, key: open.key)
                } + [HourPublicKey(hour: Self.hour, key: other)]
            for key in strange { #expect(try await !store.insert([row], sealedTo: key)) }
            #expect(try await stage.waiting() == 0)
            // The control.
            #expect(try await store.insert([row], sealedTo: open))
            #expect(try await stage.waiting() == 1)
        }
    }

    @Test("a row that is longer than any upload isn't stored: it would fill the fold's memory")
    func longRow() async throws {
        try await FoldStage.run { stage in
            let store = InboxStore(stage.server)
            let open = try #require(try await store.openKey(atOrAfter: Self.hour))
            for (length, isStored) in [(27_308, true), (27_309, false), (10_000_000, false)] {
                let sealed = SealedUpload(bytes: [UInt8](repeating: 9, count: length))
                let row = InboxRow(tag: Samples.tag(length), hour: open.hour, sealed: sealed)
                if isStored {
                    #expect(try await store.insert([row], sealedTo: open))
                } else {
                    let error = await #expect(throws: PostgresError.self) {
                        _ = try await store.insert([row], sealedTo: open)
                    }
                    #expect(error?.sqlState == "23514")
                }
            }
            #expect(try await stage.waiting() == 1)
        }
    }

    @Test("made-up keys of any day neither stop the fold nor are kept")
    func strangeDays() async throws {
        try await FoldStage.run { stage in
            let starts: [UInt32] = [1, 144, 143, Samples.day.firstInterval.rawValue + 144 * 9, UInt32(Int32.max) - 144]
            let strange = try starts.enumerated().map { number, start in
                let key = try Samples.key(number)
                let period = try #require(RollingPeriod(start: IntervalNumber(rawValue: start), length: 144))
                return DiagnosisKey(
                    data: key.data, rollingPeriod: period, transmissionRiskLevel: key.transmissionRiskLevel,
                    daysSinceOnsetOfSymptoms: key.daysSinceOnsetOfSymptoms, reportType: key.reportType)
            }
            let good = try Samples.key(9)
            try await stage.upload(strange + [good])
            let report = try await stage.fold(before: Self.hour.advanced(by: 1))
            #expect(report.keys == 1 && report.left.keys == strange.count)
            #expect(try await stage.foldedKeys().map(\.data) == [good.data])
        }
    }

    @Test("the server doesn't start with the directory of private keys in its configuration, or in its environment")
    func configuration() async throws {
        let directory = FileManager.default.temporaryDirectory.path
        let runtime = ServiceRuntime(
            name: "submission-server", settings: ["hourKeys.directory": directory], clock: .system,
            logger: .init(label: "test"))
        let problem = await #expect(throws: ConfigurationProblem.self) { try await SubmissionServer.serve(runtime) }
        #expect(problem?.description.contains("submission-server fold") == true)

        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: try BuiltProgram.path("submission-server"))
        process.environment = ["HOUR_KEYS_DIRECTORY": directory]
        process.standardOutput = output
        process.standardError = output
        try process.start()
        let words = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus != 0)
        #expect(words.contains("hourKeys.directory belongs to `submission-server fold`"))
    }
}

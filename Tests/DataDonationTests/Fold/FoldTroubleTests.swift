import Credentials
import Crypto
import DonationFormat
import ExposureKeys
import Foundation
import HourKeys
import Postgres
import Running
import Schema
import TestSupport
import Testing

@testable import DataDonation

/// Folds that are killed, come late, or lack a key; servers that hit an hour's end.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct FoldTroubleTests {
    private static let hour = FoldStage.hour

    private static func donations(_ count: Int, seed: UInt64) -> [AnalyticsData] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in SampleDonation.data(using: &random) }
    }

    // MARK: Kills

    private struct Killed: Error {}

    /// The steps of a fold up to some point.
    private static let interruptions: [(name: String, steps: @Sendable (FoldStage, Hour) async throws -> Void)] = [
        (
            "after the private half of a key was written",
            { stage, last in
                _ = try stage.fold.files.create(last.advanced(by: 13))
            }
        ),
        (
            "after keys were made",
            { stage, last in
                try await stage.fold.store.makeKeys(from: last, count: 2 + Fold.hoursAhead, in: stage.fold.files)
            }
        ),
        ("after the hour was closed", { stage, last in try await stage.fold.close(through: last) }),
        (
            "before the commit",
            { stage, last in
                try await stage.fold.close(through: last)
                await #expect(throws: Killed.self) {
                    try await stage.fold.store.fold { transaction in
                        _ = try stage.fold.move(through: last, asOf: last.end, in: transaction)
                        throw Killed()
                    }
                }
            }
        ),
        (
            "before the private keys were destroyed",
            { stage, last in
                try await stage.fold.close(through: last)
                _ = try await stage.fold.store.fold { try stage.fold.move(through: last, asOf: last.end, in: $0) }
            }
        ),
    ]

    @Test(arguments: interruptions.indices) func `a fold that was killed is finished by the next one`(
        number: Int
    ) async throws {
        let donations = Self.donations(20, seed: 1)
        let expected = try await FoldStage.run { stage in
            for data in donations { try await stage.donate(data) }
            try await stage.foldNextHour()
            return try await stage.outcome()
        }
        #expect(expected.waiting == 0 && expected.files.count == 1 + Fold.hoursAhead)
        try await FoldStage.run { stage in
            for data in donations { try await stage.donate(data) }
            stage.clock.set(Self.hour.end.addingTimeInterval(2))
            try await Self.interruptions[number].steps(stage, Self.hour)
            try await stage.fold.run(asOf: stage.clock.now)
            #expect(try await stage.outcome() == expected)
        }
    }

    @Test func `a donation that arrives while its hour is folded is in that hour's rows or in the next one's, once`()
        async throws
    {
        let donations = Self.donations(60, seed: 2)
        try await FoldStage.run { stage in
            // Its clock still shows the hour that the fold closes.
            let behind = ManualClock(stage.clock.now)
            let replica = stage.replica(behind)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for data in donations {
                    group.addTask { try await stage.donate(data, to: replica) }
                }
                group.addTask { try await stage.foldNextHour() }
                try await group.waitForAll()
            }
            try await stage.foldNextHour()
            #expect(try await stage.waiting() == 0)
            #expect(try await stage.rows("client").count == 60)
        }
    }

    @Test func `of two folds at once one folds`() async throws {
        try await FoldStage.run { stage in
            for data in Self.donations(20, seed: 3) { try await stage.donate(data) }
            stage.clock.set(Self.hour.end.addingTimeInterval(2))
            async let one = stage.fold.run(asOf: stage.clock.now)
            async let other = stage.fold.run(asOf: stage.clock.now)
            let reports = try await [one, other]
            #expect(reports.map(\.donations).sorted { $0.count < $1.count } == [[], [20]])
            #expect(try await stage.rows("client").count == 20)
        }
    }

    // MARK: Late folds

    @Test
    func `while no fold runs, donations go on for twelve hours after the running one, each sealed to its own hour`()
        async throws
    {
        let donations = Self.donations(14, seed: 4)
        try await FoldStage.run { stage in
            for number in 0...Fold.hoursAhead {
                try await stage.donate(donations[number])
                stage.clock.advance(by: 3600)
            }
            await #expect(throws: NoOpenHour.self) { try await stage.donate(donations[13]) }
            #expect(await !stage.inbox.readiness.passes())
            let hours = try await stage.asSuperuser {
                try $0.rows("SELECT hour FROM donation.inbox ORDER BY hour", as: Int32.self)
            }
            #expect(hours == (0...Int32(Fold.hoursAhead)).map { Self.hour.number + $0 })

            let report = try await stage.fold.run(asOf: stage.clock.now)
            #expect(report.donations == [Int](repeating: 1, count: 1 + Fold.hoursAhead))
            #expect(await stage.inbox.readiness.passes())
            try await stage.donate(donations[13])
            try await stage.foldNextHour()
            #expect(try await stage.rows("client").count == 14)
            #expect(try stage.keyFiles().count == 1 + Fold.hoursAhead)
        }
    }

    @Test func `a long outage leaves no more hours than donations are kept`() async throws {
        try await FoldStage.run { stage in
            try await stage.donate(Self.donations(1, seed: 5)[0])
            stage.clock.advance(by: 30 * 86_400)
            let report = try await stage.fold.run(asOf: stage.clock.now)
            #expect(report.donations == [1] + [Int](repeating: 0, count: 14 * 24))
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test func `a fold that is told a time far ahead changes nothing`() async throws {
        try await FoldStage.run { stage in
            try await stage.donate(Self.donations(1, seed: 6)[0])
            let before = try await stage.outcome()
            await #expect(throws: ClockAhead.self) { try await stage.fold.run(asOf: stage.clock.now + 86_400) }
            #expect(try await stage.outcome() == before)
        }
    }

    // MARK: Keys

    @Test func `without an hour's private key nothing is folded and nothing lost, until it is back`() async throws {
        try await FoldStage.run { stage in
            for data in Self.donations(3, seed: 7) { try await stage.donate(data) }
            let file = stage.directory.key(of: Self.hour)
            let elsewhere = stage.directory.appending(path: "elsewhere")
            try FileManager.default.moveItem(at: file, to: elsewhere)
            await #expect(throws: HourKeyProblem.self) { try await stage.foldNextHour() }
            #expect(stage.metrics.text.contains("missing_hour_keys_total 1"))
            #expect(try await stage.waiting() == 3)
            #expect(try await stage.rows("client").isEmpty)

            try FileManager.default.moveItem(at: elsewhere, to: file)
            #expect(try await stage.fold.run(asOf: stage.clock.now).donations == [3])
        }
    }

    @Test func `a fold with a directory of its own beside another's makes no key and changes nothing`() async throws {
        try await FoldStage.run { stage in
            for data in Self.donations(3, seed: 8) { try await stage.donate(data) }
            stage.clock.set(Self.hour.end.addingTimeInterval(2))
            let before = try await stage.outcome()
            try await withScratchFolder { folder in
                let stranger = Fold(
                    store: stage.fold.store, files: HourKeyFiles(directory: URL(filePath: folder)),
                    clock: stage.fold.clock, metrics: stage.fold.metrics, logger: stage.fold.logger)
                await #expect(throws: HourKeyProblem.self) { try await stranger.run(asOf: stage.clock.now) }
                let made = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(made == [])
            }
            #expect(try await stage.outcome() == before)
            #expect(try await stage.fold.run(asOf: stage.clock.now).donations == [3])
        }
    }

    @Test func `rows that no key opens are counted and dropped, and the others folded`() async throws {
        try await FoldStage.run { stage in
            for data in Self.donations(3, seed: 9) { try await stage.donate(data) }
            try await stage.asSuperuser { session in
                for sealed in [[], [1, 2, 3], [UInt8](repeating: 0, count: 2048)] {
                    _ = try session.execute(
                        """
                        INSERT INTO donation.inbox (tag, hour, sealed)
                        VALUES (\(FoldStage.unique.bytes), \(Self.hour.number), \(sealed))
                        """)
                }
            }
            let report = try await stage.foldNextHour()
            #expect(report.donations == [3] && report.unreadable == 3)
            #expect(stage.metrics.text.contains("unreadable_donations_total 3"))
            #expect(try await stage.waiting() == 0)
        }
    }

    // MARK: What the server may do

    @Test func `what the server holds opens no row, and it can neither read nor change the inbox`() async throws {
        try await FoldStage.run { stage in
            try await stage.donate(Self.donations(1, seed: 10)[0])
            for statement: Script in [
                "SELECT FROM donation.inbox", "DELETE FROM donation.inbox", "UPDATE donation.inbox SET hour = 0",
                "INSERT INTO donation.inbox (tag, hour, sealed) VALUES ('', 0, '')",
                "UPDATE donation.hour_key SET closed = false", "DELETE FROM donation.hour_key",
                "SELECT FROM donation.user_group", "SELECT donation.take_fold_lock()", "SET ROLE vigil_donation_fold",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await stage.server.session { try $0.script(statement) }
                }
                #expect(error?.sqlState == "42501")
            }
            // Nor can the fold add what nobody sealed.
            for statement: Script in [
                "INSERT INTO donation.inbox (tag, hour, sealed) VALUES ('', 0, '')",
                "UPDATE donation.hour_key SET public_key = ''", "SELECT FROM donation.quota",
                "DELETE FROM donation.user_group", "SELECT donation.is_waiting('')",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    try await stage.folding.session { try $0.script(statement) }
                }
                #expect(error?.sqlState == "42501")
            }
        }
    }

    @Test func `a row for a closed hour, an hour without a key, or another key isn't stored, and takes no evidence`()
        async throws
    {
        try await FoldStage.run { stage in
            let store = DonationStore(stage.server)
            let open = try #require(try await store.openKey(atOrAfter: Self.hour))
            let data = Self.donations(1, seed: 11)[0]
            let admission = FoldStage.admission
            let strangeKeys =
                [-1, 1000, -Self.hour.number].map {
                    HourPublicKey(hour: Self.hour.advanced(by: Int($0)), key: open.key)
                } + [HourPublicKey(hour: Self.hour, key: try stage.fold.files.read(FoldStage.next).publicKey)]
            for key in strangeKeys + [open] {
                let tag = FoldStage.unique
                let row = DonationRow(
                    tag: tag, hour: key.hour, sealed: try SealedDonation.seal(data, tag: tag, to: key))
                let isStored = try await store.insert(row, sealedTo: key, admittedBy: admission, at: stage.clock.now)
                #expect(isStored == (key.hour == open.hour && key.key.rawRepresentation == open.key.rawRepresentation))
            }
            #expect(try await stage.waiting() == 1)
        }
    }
}

import Credentials
import Crypto
import ExposureKeys
import Foundation
import HourKeys
import Postgres
import Running
import TestSupport
import Testing

@testable import SubmissionServer

/// Keys are made ahead, by whoever holds the private halves.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct HourKeyTests {
    private static let hour = Samples.hour

    @Test("while no fold runs, uploads go on for twelve hours after the running one, each sealed to its own hour")
    func ahead() async throws {
        try await FoldStage.run { stage in
            try await stage.foldNow()
            for number in 0...Fold.hoursAhead {
                try await stage.upload([try Samples.key(number)])
                stage.clock.advance(by: 3600)
            }
            await #expect(throws: NoOpenHour.self) { try await stage.upload([try Samples.key(100)]) }
            let hours = try await stage.asSuperuser {
                try $0.rows("SELECT hour FROM submission.inbox ORDER BY hour", as: Int32.self)
            }
            #expect(hours == (0...Int32(Fold.hoursAhead)).map { Self.hour.number + $0 })

            // The fold is back: it catches up, and the phone that tries again is told 200.
            try await stage.foldNow()
            try await stage.upload([try Samples.key(100)])
            stage.clock.advance(by: 3600)
            try await stage.foldNow()
            #expect(try await stage.foldedKeys().count == Fold.hoursAhead + 2)
        }
    }

    @Test("private keys exist for the running hour and twelve more, and no others")
    func horizon() async throws {
        try await FoldStage.run { stage in
            for _ in 0..<3 {
                stage.clock.advance(by: 3600)
                try await stage.foldNow()
                let now = Hour(containing: stage.clock.now)
                #expect(
                    try stage.keyFiles()
                        == (0...Fold.hoursAhead).map { stage.directory.key(of: now.advanced(by: $0)) }
                        .map(\.lastPathComponent))
            }
        }
    }

    @Test("a fold with a directory of its own beside another's makes no key and changes nothing")
    func otherDirectory() async throws {
        try await FoldStage.run { stage in
            try await stage.foldNow()
            try await stage.upload(try Samples.keys(0..<3))
            stage.clock.advance(by: 3600)
            try await FoldStage.withKeyDirectory { directory in
                let stranger = Fold(
                    store: stage.fold.store, files: HourKeyFiles(directory: directory), clock: stage.fold.clock,
                    fillers: stage.fold.fillers, metrics: stage.fold.metrics, logger: stage.fold.logger)
                await #expect(throws: HourKeyProblem.self) { _ = try await stranger.run(asOf: stage.clock.now) }
                let made = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                #expect(made == [])
            }
            #expect(stage.metrics.text.contains("missing_hour_keys_total 1"))
            #expect(try await stage.waiting() == 1)
            try await stage.foldNow()
            #expect(try await stage.foldedKeys().count == 3)
        }
    }

    @Test("an installation whose server held the keys is taken over with what waits in its inbox")
    func takeover() async throws {
        try await FoldStage.run { stage in
            // As such a server left them: the last hour closed, the running one and the next open, a file for each open one.
            let keys = Dictionary(
                uniqueKeysWithValues: (-1...1).map {
                    (Self.hour.advanced(by: $0), Curve25519.KeyAgreement.PrivateKey())
                })
            for file in try stage.keyFiles() {
                try FileManager.default.removeItem(at: stage.directory.appending(path: file))
            }
            for (hour, key) in keys where hour >= Self.hour {
                try DurableFile.write(key.rawRepresentation, to: stage.directory.key(of: hour), mode: 0o600)
            }
            let old = HourPublicKey(hour: Self.hour, key: try #require(keys[Self.hour]).publicKey)
            let sealed = try #require(
                try SealedUpload.seal([(Samples.tag(1), try Samples.content(0..<3, reports: 0..<2))], to: old).first)
            try await stage.asSuperuser { session in
                try session.execute("DELETE FROM submission.hour_key")
                for (hour, key) in keys {
                    try session.execute(
                        """
                        INSERT INTO submission.hour_key (hour, public_key, closed)
                        VALUES (\(hour.number), \(Array(key.publicKey.rawRepresentation)), \(hour < Self.hour))
                        """)
                }
                try session.execute(
                    """
                    INSERT INTO submission.inbox (tag, hour, sealed)
                    VALUES (\(Samples.tag(1).bytes), \(Self.hour.number), \(sealed.bytes))
                    """)
            }

            // Servers go on with the key that they find, also before the fold has run.
            try await stage.upload(try Samples.keys(3..<5))
            try await stage.foldNow()
            try await stage.upload(try Samples.keys(5..<7))
            #expect(try await stage.waiting() == 3)
            stage.clock.advance(by: 3600)
            try await stage.foldNow()
            #expect(Set(try await stage.foldedKeys().map(\.data)) == Set(try Samples.keys(0..<7).map(\.data)))
            #expect(try await stage.foldedReports().count == 2)
            #expect(try stage.keyFiles().count == 1 + Fold.hoursAhead)
        }
    }
}

import Credentials
import ExposureKeys
import Foundation
import HourKeys
import Postgres
import Running
import Schema
import TestSupport
import Testing

@testable import SubmissionServer

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct WrongClockTests {
    private static let month: TimeInterval = 30 * 86_400

    // MARK: Ahead

    @Test("a fold as of an instant that the database's clock hasn't reached is refused and changes nothing")
    func foldAhead() async throws {
        try await FoldStage.run { stage in
            try await stage.upload([try Samples.key(0)])
            let before = try await stage.outcome()
            await #expect(throws: ClockAhead.self) {
                _ = try await stage.fold.run(asOf: stage.clock.now + Self.month)
            }
            #expect(try await stage.outcome() == before)
            // The hour ends for the database, too.
            stage.clock.advance(by: 3600)
            try await stage.foldNow()
            #expect(try await stage.foldedKeys().count == 1)
        }
    }

    @Test("a server whose clock is ahead takes no upload, and makes no key that would keep others from theirs")
    func uploadAhead() async throws {
        try await FoldStage.run { stage in
            try await stage.upload([try Samples.key(0)])
            let before = try await stage.outcome()
            let content = try Samples.content(1..<2)
            await #expect(throws: ClockAhead.self) {
                try await stage.withReplica(ManualClock(stage.clock.now + Self.month)) {
                    try await $0.take(content, tag: Samples.tag(1), isKept: true)
                }
            }
            #expect(try await stage.outcome() == before)
            // The phone tries again, and meets a server whose clock is right.
            try await stage.inbox.take(content, tag: Samples.tag(1), isKept: true)
            stage.clock.advance(by: 3600)
            try await stage.foldNow()
            #expect(Set(try await stage.foldedKeys().map(\.data)) == Set(try Samples.keys(0..<2).map(\.data)))
        }
    }

    // MARK: Behind

    @Test("a server whose clock is behind loses nothing: its folds do nothing, and its uploads join a later hour")
    func behind() async throws {
        try await FoldStage.run { stage in
            try await stage.upload([try Samples.key(0)])
            stage.clock.advance(by: 3600)
            try await stage.foldNow()
            let before = try await stage.outcome()
            let late = ManualClock(stage.clock.now - 3 * 86_400)
            _ = try await stage.fold.run(asOf: late.now)
            #expect(try await stage.outcome() == before)

            try await stage.withReplica(late) {
                try await $0.take(try Samples.content(1..<2), tag: Samples.tag(1), isKept: true)
            }
            _ = try await stage.fold.run(asOf: late.now)
            #expect(try await stage.waiting() == 1)
            stage.clock.advance(by: 3600)
            try await stage.foldNow()
            #expect(Set(try await stage.foldedKeys().map(\.data)) == Set(try Samples.keys(0..<2).map(\.data)))
        }
    }

    // MARK: From the front door, by the real clocks

    private static func today() -> Day { Day(containing: Date()) }

    @Test("an upload to a server whose clock is ahead is answered 503 and stays the phone's")
    func frontDoorAhead() async throws {
        try await SubmissionStage.run(wrongClock: WallClock { Date() + Self.month }) { stage in
            let tan = try stage.verification.issue()
            let payload = try Samples.payload([try Samples.key(0, day: Self.today().advanced(by: -1))])
            #expect(try await stage.upload(payload, tan: tan.text).status == 503)
            #expect(try await stage.waiting() == 0)
            #expect(!stage.verification.isConfirmed(tan))
        }
    }

    @Test("a server whose clock is days behind doesn't take today's key for one of the future: it answers 503")
    func frontDoorBehind() async throws {
        try await SubmissionStage.run(wrongClock: WallClock { Date() - 3 * 86_400 }) { stage in
            let old = try Samples.key(0, day: Self.today().advanced(by: -6))
            let new = try Samples.key(1, day: Self.today().advanced(by: -1))
            let tan = try stage.verification.issue()
            #expect(try await stage.upload(try Samples.payload([old, new]), tan: tan.text).status == 503)
            #expect(try await stage.waiting() == 0)
            #expect(!stage.verification.isConfirmed(tan))
            // Of an upload without such a key nothing would be lost.
            let other = try stage.verification.issue()
            #expect(try await stage.upload(try Samples.payload([old]), tan: other.text).status == 200)
            #expect(try await stage.waiting() == 1)
        }
    }

    @Test("by a clock that is right a key of the future is dropped and the others are stored")
    func frontDoorRight() async throws {
        try await SubmissionStage.run(wrongClock: .system) { stage in
            let old = try Samples.key(0, day: Self.today().advanced(by: -1))
            let future = try Samples.key(1, day: Self.today().advanced(by: 2))
            let tan = try stage.verification.issue()
            #expect(try await stage.upload(try Samples.payload([old, future]), tan: tan.text).status == 200)
            #expect(try await stage.waiting() == 1)
        }
    }

    // MARK: The program, by the real clocks

    @Test("the program refuses --as-of beyond the database's clock, with a sentence, and changes nothing")
    func asOf() async throws {
        try await FoldStage.run { stage in
            try await stage.upload([try Samples.key(0)])
            let before = try await stage.outcome()
            let refused = try Self.fold(on: stage, asOf: Date() + Self.month)
            #expect(refused.status == 1)
            #expect(refused.words.contains("ahead of the database's clock, so nothing was done: correct the clock"))
            #expect(try await stage.outcome() == before)
        }
    }

    @Test("a moved clock is refused by a database that isn't a rehearsal's, and moves both clocks of one that is")
    func offset() async throws {
        try await FoldStage.run { stage in
            try await stage.upload([try Samples.key(0)])
            let before = try await stage.outcome()
            for offset in [Self.month, -Self.month] {
                let refused = try Self.fold(on: stage, asOf: Date(), environment: ["CLOCK_OFFSET": "\(offset)"])
                #expect(refused.status == 1)
                #expect(refused.words.contains("the database isn't marked for rehearsals: remove the setting"))
            }
            // What a connection says of itself is no mark.
            let claim = ["PGOPTIONS": "-c vigil.rehearsal=on", "CLOCK_OFFSET": "\(Self.month)"]
            #expect(try Self.fold(on: stage, asOf: Date(), environment: claim).status == 1)
            #expect(try await stage.outcome() == before)

            try await stage.asSuperuser { session in
                let name = try #require(
                    Identifier(validating: try session.row("SELECT current_database()::text", as: String.self) ?? ""))
                try session.script("ALTER DATABASE \(identifier: name) SET vigil.rehearsal = 'on'")
            }
            // The mark alone lets nobody ahead.
            #expect(try Self.fold(on: stage, asOf: Date() + Self.month).status == 1)
            #expect(try await stage.outcome() == before)
            let moved = ["CLOCK_OFFSET": "\(Self.month)"]
            #expect(try Self.fold(on: stage, asOf: Date() + 2 * Self.month, environment: moved).status == 1)
            let folded = try Self.fold(on: stage, asOf: Date() + Self.month, environment: moved)
            #expect(folded.status == 0, "\(folded.words)")
            #expect(try await stage.waiting() == 0)
            // A clock that several processes share is no other.
            let file = stage.directory.appending(path: "clock").path
            try SharedClock(moving: file).move(by: Self.month + 86_400)
            let shared = ["CLOCK_FILE": file]
            #expect(try Self.fold(on: stage, asOf: Date() + 2 * Self.month, environment: shared).status == 1)
            #expect(try Self.fold(on: stage, asOf: Date() + Self.month + 86_400, environment: shared).status == 0)
        }
    }

    private static func fold(
        on stage: FoldStage, asOf instant: Date, environment: [String: String] = [:]
    ) throws -> (status: Int32, words: String) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: try BuiltProgram.path("submission-server"))
        process.arguments = ["fold", "--as-of", instant.formatted(.iso8601)]
        process.environment = [
            "POSTGRES_CONNECTION": stage.database.connection(as: .fold),
            "HOUR_KEYS_DIRECTORY": stage.directory.path,
        ].merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.start()
        let words = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: words, as: UTF8.self))
    }
}

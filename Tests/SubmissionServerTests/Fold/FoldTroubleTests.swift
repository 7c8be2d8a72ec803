import Credentials
import ExposureKeys
import Foundation
import HourKeys
import Postgres
import Running
import TestSupport
import Testing

@testable import SubmissionServer

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct FoldTroubleTests {
    private static let hour = Samples.hour
    private static let next = hour.advanced(by: 1)

    @Test("the fold's smallest set can't be configured below the size of the smallest package")
    func smallestSet() throws {
        func sizes(_ settings: [String: String]) throws -> SizeClasses {
            try Fold.sizes(Settings(settings))
        }
        let threshold = PublicationPolicy.smallestPackage
        #expect(try sizes([:]).smallest == threshold)
        #expect(try sizes(["fold.smallestSet": "\(threshold)"]).smallest == threshold)
        #expect(throws: ConfigurationProblem.self) { try sizes(["fold.smallestSet": "\(threshold - 1)"]) }
    }

    @Test("keys are one stream unless a smallest set for other countries is configured, which has the same lower limit")
    func smallestFederatedSet() throws {
        func sizes(_ settings: [String: String]) throws -> SizeClasses? {
            try Fold.federatedSizes(Settings(settings))
        }
        let threshold = PublicationPolicy.smallestPackage
        #expect(try sizes([:]) == nil)
        #expect(try sizes(["fold.smallestFederatedSet": "\(threshold)"])?.smallest == threshold)
        #expect(throws: ConfigurationProblem.self) {
            try sizes(["fold.smallestFederatedSet": "\(threshold - 1)"])
        }
    }

    @Test("whatever the lowest published level is, an hour is filled up with keys that are published", arguments: 1...8)
    func lowestLevel(lowest: Int) throws {
        let level = try #require(TransmissionRiskLevel(rawValue: lowest))
        let fillers = try Fold.fillers(Settings(["lowestRiskLevel": "\(lowest)"]))
        var random = SeededGenerator(seed: UInt64(lowest))
        for keys in [[], try Samples.keys(0..<3)] {
            let filled = fillers.fill(keys, of: Self.hour, at: Self.hour.end, using: &random)
            func published(from level: TransmissionRiskLevel) -> Int {
                let policy = PublicationPolicy(lowestLevel: level)
                return filled.count { policy.releaseHour(of: $0, submitted: Self.hour) == Self.hour }
            }
            #expect(published(from: level) == 140)
            // The control: distribution with the next level would have too few.
            if let next = TransmissionRiskLevel(rawValue: lowest + 1) { #expect(published(from: next) < 140) }
        }
        #expect(try Fold.fillers(Settings([:])).policy.lowestLevel == .lowestPublished)
        for wrong in ["0", "9", "high"] {
            #expect(throws: ConfigurationProblem.self) { try Fold.fillers(Settings(["lowestRiskLevel": wrong])) }
        }
    }

    @Test("without an hour's private key nothing is folded and nothing lost; the fold goes on when it is back")
    func missingKey() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<3))
            stage.clock.advance(by: 3600)
            try await stage.upload(try Samples.keys(3..<5))
            let file = stage.directory.key(of: Self.hour)
            let elsewhere = stage.directory.appending(path: "elsewhere")
            try FileManager.default.moveItem(at: file, to: elsewhere)

            await #expect(throws: HourKeyProblem.self) { try await stage.fold(before: Self.next.advanced(by: 1)) }
            #expect(stage.metrics.text.contains("missing_hour_keys_total 1"))
            #expect(try await stage.waiting() == 2)
            #expect(try await stage.foldedHours().isEmpty)
            #expect(try await stage.foldedKeys().isEmpty)
            #expect(FileManager.default.fileExists(atPath: stage.directory.key(of: Self.next).path))

            try FileManager.default.moveItem(at: elsewhere, to: file)
            #expect(try await stage.fold(before: Self.next.advanced(by: 1)).keys == 5)
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test("uploads go on while the fold can't")
    func missingKeyOfAnEarlierHour() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<3))
            try FileManager.default.removeItem(at: stage.directory.key(of: Self.hour))
            await #expect(throws: HourKeyProblem.self) { try await stage.fold(before: Self.next) }
            stage.clock.advance(by: 3600)
            try await stage.upload(try Samples.keys(3..<5))
            #expect(try await stage.waiting() == 2)
        }
    }

    @Test("after the key directory was lost, the steps of the README bring the fold back")
    func lostDirectory() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<3))
            for file in try stage.keyFiles() {
                try FileManager.default.removeItem(at: stage.directory.appending(path: file))
            }
            await #expect(throws: HourKeyProblem.self) { try await stage.fold(before: Self.next) }

            try await stage.asSuperuser { session in
                _ = try session.execute("DELETE FROM submission.hour_key WHERE NOT closed")
                _ = try session.execute("DELETE FROM submission.inbox")
            }
            stage.clock.advance(by: 3600)
            try await stage.foldNow()
            try await stage.withReplica(stage.clock) {
                try await $0.take(try Samples.content(3..<5), tag: Samples.tag(1), isKept: true)
            }
            try await stage.fold(before: Self.next.advanced(by: 1))
            #expect(Set(try await stage.foldedKeys().map(\.data)) == Set(try Samples.keys(3..<5).map(\.data)))
        }
    }

    @Test("rows that no key opens are counted and dropped, and the others folded")
    func unreadable() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<3))
            try await stage.asSuperuser { session in
                for (number, sealed) in [[UInt8](), [1, 2, 3], [UInt8](repeating: 0, count: 3500)].enumerated() {
                    _ = try session.execute(
                        """
                        INSERT INTO submission.inbox (tag, hour, sealed)
                        VALUES (\(Samples.tag(number).bytes), \(Self.hour.number), \(sealed))
                        """)
                }
            }
            let report = try await stage.fold(before: Self.next)
            #expect(report == Fold.Report(lastHour: Self.hour.number, uploads: [1], keys: 3, unreadable: 3))
            #expect(try await stage.waiting() == 0)
        }
    }

    enum Crash: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case beforePublishing = "after private keys were made, before their public halves were stored"
        case afterMakingKeys = "after the next keys were made"
        case afterClosing = "after the hours were closed"
        case insideTheTransaction = "inside the transaction"
        case beforeDestroying = "before the private keys were destroyed"

        var testDescription: String { rawValue }
    }

    private struct Killed: Error {}

    @Test("a fold that died is finished by the next one, with the same result", arguments: Crash.allCases)
    func crash(_ crash: Crash) async throws {
        let expected = try await FoldStage.run { stage in
            try await Self.uploadTwoHours(to: stage)
            try await stage.fold(before: Self.next.advanced(by: 1))
            return try await stage.outcome()
        }
        let outcome = try await FoldStage.run { stage in
            try await Self.uploadTwoHours(to: stage)
            try await Self.fold(on: stage, until: crash)
            try await stage.fold(before: Self.next.advanced(by: 1))
            return try await stage.outcome()
        }
        #expect(outcome == expected)
        #expect(outcome.keys.count == 30)
    }

    private static func uploadTwoHours(to stage: FoldStage) async throws {
        for upload in 0..<3 { try await stage.upload(try Samples.keys(upload * 5..<upload * 5 + 5)) }
        stage.clock.advance(by: 3600)
        for upload in 3..<6 { try await stage.upload(try Samples.keys(upload * 5..<upload * 5 + 5)) }
    }

    /// The steps of ``Fold/run(asOf:)`` up to a point.
    private static func fold(on stage: FoldStage, until crash: Crash) async throws {
        let fold = stage.fold
        switch crash {
        case .beforePublishing:
            for ahead in 1...Fold.hoursAhead + 1 { _ = try fold.files.create(next.advanced(by: ahead)) }
        case .afterMakingKeys:
            try await fold.store.makeKeys(from: next, count: 2 + Fold.hoursAhead, in: fold.files)
        case .afterClosing:
            try await fold.close(through: next)
        case .insideTheTransaction:
            try await fold.close(through: next)
            await #expect(throws: Killed.self) {
                try await fold.store.fold { transaction in
                    _ = try fold.move(through: next, asOf: next.end, in: transaction)
                    throw Killed()
                }
            }
        case .beforeDestroying:
            try await fold.close(through: next)
            _ = try await fold.store.fold { try fold.move(through: next, asOf: next.end, in: $0) }
        }
    }

    // MARK: Clocks that are wrong

    @Test("a fold that was told a time far ahead costs no upload", arguments: [1, 2, 5, 30])
    func ahead(hours: Int) async throws {
        // None of them expires meanwhile.
        let keys = try (0..<hours + 5).map { try Samples.key($0, day: Samples.day.advanced(by: -1)) }
        try await FoldStage.run { stage in
            try await stage.upload(Array(keys.prefix(2)))
            try await stage.fold(before: Self.next.advanced(by: hours))
            // The real time goes on, hour by hour, with uploads and folds of its own.
            for hour in 0...hours + 2 {
                // A server that was just started knows no key yet.
                try await stage.withReplica(stage.clock) {
                    try await $0.take(
                        UploadContent(keys: [keys[2 + hour]]), tag: Samples.tag(hour), isKept: true)
                }
                stage.clock.advance(by: 3600)
                try await stage.foldNow()
            }
            stage.clock.advance(by: 3600)
            try await stage.foldNow()
            #expect(try await stage.waiting() == 0)
            let folded = try await stage.foldedKeys().map(\.data)
            #expect(folded.count == hours + 5)
            #expect(Set(folded) == Set(keys.map(\.data)))
        }
    }

    @Test("after an outage, a server whose clock is behind opens no hour that another has closed")
    func behindAfterOutage() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<2))
            let now = Self.hour.advanced(by: 6)
            let last = now.advanced(by: -1)
            // Both come up at the turn of the hour; for one of them it hasn't turned yet.
            try await stage.withReplica(ManualClock(now.start.addingTimeInterval(-1))) { late in
                try await stage.fold.close(through: last)
                try await stage.fold(before: last)
                _ = try await stage.fold.store.fold { try stage.fold.move(through: last, asOf: last.end, in: $0) }
                try stage.fold.files.destroy(through: last)
                try await late.take(try Samples.content(2..<4), tag: Samples.tag(1), isKept: true)
            }
            try await stage.fold(before: now.advanced(by: 1))
            #expect(Set(try await stage.foldedKeys().map(\.data)) == Set(try Samples.keys(0..<4).map(\.data)))
            #expect(try await stage.waiting() == 0)
        }
    }
}

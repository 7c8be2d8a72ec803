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

@testable import SubmissionServer

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct FrontDoorTests {
    private static func settings(of stage: FoldStage) -> [String: String] {
        [
            "postgres.connection": stage.database.connection(as: .fold), "hourKeys.directory": stage.directory.path,
        ]
    }

    @Test("the command folds what the server stored")
    func command() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<5))
            stage.clock.advance(by: 3600)
            try await SubmissionServer.fold(asOf: Samples.hour.end, Self.runtime(of: stage))
            #expect(try await stage.foldedKeys().count == 5)
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test("the command leaves out what has expired since the instant, and fills the hour with keys that haven't")
    func past() async throws {
        try await FoldStage.run { stage in
            // The oldest of the fourteen days, whose key expires at the next midnight.
            try await stage.upload([Samples.key(13)])
            let expiry = Samples.day.advanced(by: 1).firstHour.start
            stage.clock.advance(by: expiry.addingTimeInterval(1).timeIntervalSince(stage.clock.now))
            try await SubmissionServer.fold(asOf: Samples.hour.end, Self.runtime(of: stage))
            #expect(try await stage.foldedKeys().isEmpty)
            let ends = try await stage.asSuperuser { session in
                try session.rows("SELECT rolling_start + rolling_period FROM submission.diagnosis_key", as: Int32.self)
            }
            #expect(ends.count >= PublicationPolicy.smallestPackage)
            let firstKept = Samples.day.advanced(by: 1 - RollingPeriod.daysKept).firstInterval
            #expect(ends.allSatisfy { $0 > firstKept.rawValue })
        }
    }

    private static func runtime(of stage: FoldStage) -> ServiceRuntime {
        ServiceRuntime(
            name: "fold", settings: settings(of: stage), clock: stage.clock.clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("the fold's process folds by itself when it starts")
    func start() async throws {
        try await FoldStage.run { stage in
            try await withRunningService(
                "fold", settings: Self.settings(of: stage), clock: stage.clock.clock, serve: SubmissionServer.fold
            ) { _ in
                // The hour before the clock's is folded, empty; the database says so as soon as it is.
                while try await stage.foldedHours().isEmpty { await Task.yield() }
                #expect(try await stage.foldedHours().map(\.hour) == [Samples.hour.advanced(by: -1)])
            }
        }
    }

    @Test("two processes with one key directory fold every hour once")
    func twoProcesses() async throws {
        try await FoldStage.run { stage in
            for upload in 0..<20 { try await stage.upload(try Samples.keys(upload * 5..<upload * 5 + 5)) }
            stage.clock.advance(by: 3600)
            let settings = Self.settings(of: stage)
            let clock = stage.clock.clock
            try await withRunningService("fold", settings: settings, clock: clock, serve: SubmissionServer.fold) {
                one in
                try await withRunningService(
                    "fold", settings: settings, clock: clock, serve: SubmissionServer.fold
                ) { other in
                    // Both have tried when each of them has had a success.
                    for runtime in [one, other] {
                        while !runtime.metrics.text.contains("job_last_success_seconds{job=\"fold\"} 1") {
                            await Task.yield()
                        }
                    }
                    let counted = [one, other].map { $0.metrics.text.contains("folded_keys_total 100\n") }
                    #expect(counted.count { $0 } == 1)
                }
            }
            #expect(try await stage.foldedKeys().count == 100)
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test("the tag key must be a file of 64 hexadecimal digits", arguments: ["", "5a", "not hexadecimal"])
    func tagKey(text: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        #expect(throws: ConfigurationProblem.self) { try UploadTagKey(Settings(["secrets.tagKey": file.path])) }
    }

    @Test("the directory of the hour keys must exist")
    func directory() {
        #expect(throws: ConfigurationProblem.self) {
            try HourKeyFiles(Settings(["hourKeys.directory": "/does/not/exist"]))
        }
    }
}

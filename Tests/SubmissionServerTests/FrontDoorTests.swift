import ExposureKeys
import Foundation
import Logging
import Postgres
import Running
import Schema
import TestSupport
import Testing

@testable import SubmissionServer

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct FrontDoorTests {
    @Test("the command folds what the server stored")
    func command() async throws {
        try await FoldStage.run { stage in
            try await stage.upload(try Samples.keys(0..<5))
            let runtime = ServiceRuntime(
                name: "submission-server",
                settings: [
                    "postgres.connection": stage.database.connection(as: .submission),
                    "hourKeys.directory": stage.directory.path,
                ], clock: .system, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            try await SubmissionServer.fold(asOf: Samples.hour.end, runtime)
            #expect(try await stage.foldedKeys().count == 5)
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test("the server folds by itself when it starts")
    func start() async throws {
        try await SubmissionStage.run { stage in
            // The hour before the clock's is folded, empty; the database says so as soon as it is.
            var folded: Int32?
            for _ in 0..<2000 where folded == nil {
                folded = try await stage.asSuperuser { session in
                    try session.row("SELECT hour FROM submission.folded_hour", as: Int32.self)
                }
            }
            #expect(folded == Samples.hour.number - 1)
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

import DonationFormat
import ExposureKeys
import Foundation
import Logging
import Running
import Schema
import TestSupport
import Testing

@testable import DataDonation

/// The fold as a process.
@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct FoldProcessTests {
    private static func settings(of stage: FoldStage) -> [String: String] {
        [
            "postgres.connection": stage.database.connection(as: .donationFold),
            "hourKeys.directory": stage.directory.path,
        ]
    }

    private static func donate(_ count: Int, on stage: FoldStage) async throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<count { try await stage.donate(SampleDonation.data(using: &random)) }
    }

    @Test func `the command folds what the server stored`() async throws {
        try await FoldStage.run { stage in
            try await Self.donate(5, on: stage)
            stage.clock.advance(by: 3600)
            let runtime = ServiceRuntime(
                name: "donation-fold", settings: Self.settings(of: stage), clock: stage.clock.clock,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            try await DataDonation.fold(asOf: FoldStage.hour.end, runtime)
            #expect(try await stage.rows("client").count == 5)
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test func `the process folds by itself when it starts, and of two with one key directory one folds`() async throws
    {
        try await FoldStage.run { stage in
            try await Self.donate(20, on: stage)
            stage.clock.advance(by: 3600)
            let (settings, clock) = (Self.settings(of: stage), stage.clock.clock)
            try await withRunningService("donation-fold", settings: settings, clock: clock, serve: DataDonation.fold) {
                one in
                try await withRunningService(
                    "donation-fold", settings: settings, clock: clock, serve: DataDonation.fold
                ) { other in
                    // Both have tried when each of them has had a success.
                    for runtime in [one, other] {
                        while !runtime.metrics.text.contains("job_last_success_seconds{job=\"fold\"} 1") {
                            await Task.yield()
                        }
                    }
                    let counted = [one, other].map { $0.metrics.text.contains("folded_donations_total 20\n") }
                    #expect(counted.count { $0 } == 1)
                }
            }
            #expect(try await stage.rows("client").count == 20)
            #expect(try await stage.waiting() == 0)
        }
    }

    @Test func `a server that is given the key directory refuses to start`() async throws {
        try await FoldStage.run { stage in
            let runtime = ServiceRuntime(
                name: "data-donation", settings: Self.settings(of: stage), clock: stage.clock.clock,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let problem = await #expect(throws: ConfigurationProblem.self) { try await DataDonation.serve(runtime) }
            #expect(problem?.description.contains("data-donation fold") == true)
        }
    }
}

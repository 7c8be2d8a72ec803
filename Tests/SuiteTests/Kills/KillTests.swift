import Foundation
import Synchronization
import TestSupport
import Testing

/// Kills servers and PostgreSQL repeatedly while laboratories, phones and submission servers keep calling.
///
/// Acknowledged requests survive, nothing is issued twice, and every caller finishes.
@Suite(
    .serialized, .enabled(if: TestPostgres.isAvailable, "needs PostgreSQL's programs"),
    .timeLimit(.minutes(KillPlan.minutes)))
struct KillTests {
    @Test("no kill makes the services lose what they acknowledged, or issue anything twice")
    func kills() async throws {
        let order: [KillableSuite.Member] = [.verificationServer, .postgres, .testResultServer, .postgres]
        let callers = try await Self.load(killing: (0..<KillPlan.kills).map { order[$0 % order.count] })
        let calls = callers.history.calls
        let violations = callers.violations
        #expect(violations == [], "seed \(KillPlan.seed)")
        // The kills interrupted calls, and the callers still made progress.
        #expect(callers.unanswered > 0)
        #expect(callers.journeys > KillPlan.kills)
        print(
            "\(KillPlan.kills) kills, seed \(KillPlan.seed): \(calls.count) calls, \(callers.unanswered) without an answer; "
                + "\(callers.journeys) tests came to their upload; \(violations.count) promises broken.")
    }

    @Test("the checker detects a PostgreSQL that acknowledges a commit before it is written")
    func carelessDatabase() async throws {
        // A kill loses what is in memory, which is less than a page of the write-ahead log, because full pages aren't written
        // to it. One kill may go undetected; repeated kills don't.
        let careless = ["synchronous_commit=off", "wal_writer_delay=10s", "full_page_writes=off"]
        let callers = try await KillableSuite.run(postgresSettings: careless) { suite in
            try await RetryingClients.run(6, on: suite) { callers in
                for _ in 0..<10 where callers.violations.isEmpty {
                    // Enough is acknowledged before each kill, however slow the machine is.
                    let before = callers.journeys
                    for _ in 0..<4000 where callers.journeys < before + 3 {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    try await suite.restart(.postgres)
                }
            }
        }
        #expect(!callers.violations.isEmpty)
    }

    private static func load(killing victims: [KillableSuite.Member]) async throws -> RetryingClients {
        try await KillableSuite.run { suite in
            try await RetryingClients.run(6, on: suite) { callers in
                var randomness = SeededGenerator(seed: KillPlan.seed)
                for victim in victims {
                    try await Task.sleep(for: .milliseconds(.random(in: 50...900, using: &randomness)))
                    try await suite.restart(victim)
                }
                try await suite.restart(.postgres) { callers.unanswered > 0 }
            }
        }
    }
}

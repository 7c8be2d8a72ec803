import Calling
import Catalogue
import DevelopmentSuite
import Foundation
import FurtherAPI
import HTTPContract
import HTTPTypes
import Phone
import Postgres
import Synchronization
import TestSupport
import Testing

/// Kills further, the command that publishes, and PostgreSQL repeatedly, while phones register keys and post signed reports.
///
/// What was acknowledged is in the next list; a lost answer burns neither key nor id; and an id stays its owner's.
@Suite(
    .serialized, .enabled(if: TestPostgres.isAvailable, "needs PostgreSQL's programs"),
    .timeLimit(.minutes(KillPlan.minutes)))
struct FurtherKillTests {
    @Test func `no kill loses a report that was acknowledged, revives one that was taken back, or locks anybody out`()
        async throws
    {
        let signed = try #require(SettingChange(argument: "further.signatures=required"))
        try await KillableSuite.run([.further], changes: [signed]) { suite in
            let reporters = try Reporters(suite)
            var randomness = SeededGenerator(seed: KillPlan.seed)
            let journeys = try await reporters.run(4) {
                for number in 0..<KillPlan.kills {
                    try await Task.sleep(for: .milliseconds(.random(in: 50...700, using: &randomness)))
                    guard number % 3 > 0 else {
                        _ = try await suite.publishReports(
                            asOf: Date(), killingAfter: .milliseconds(.random(in: 0...400, using: &randomness)))
                        continue
                    }
                    try await suite.restart(number % 3 == 1 ? .further : .postgres)
                }
                try await suite.restart(.postgres) { reporters.callers.unanswered > 0 }
            }
            #expect(try await suite.publishReports(asOf: Date()))
            let listed = try await suite.positiveIDs()
            #expect(listed == Set(journeys.filter(\.isPositive).map(\.id)), "seed \(KillPlan.seed)")
            #expect(journeys.flatMap(\.violations) == [], "seed \(KillPlan.seed)")
            #expect(journeys.count > KillPlan.kills)
            #expect(reporters.callers.unanswered > 0)
            print(
                "\(KillPlan.kills) kills, seed \(KillPlan.seed): \(journeys.count) phones, \(reporters.callers.unanswered) calls "
                    + "without an answer.")
        }
    }

    @Test func `the judge notices an owner who is locked out, and another who isn't`() {
        let id = UUID()
        #expect(Reporters.Journey(id: id, isPositive: true, refusals: 0, isRivalTaken: false).violations == [])
        #expect(Reporters.Journey(id: id, isPositive: true, refusals: 1, isRivalTaken: false).violations.count == 1)
        #expect(Reporters.Journey(id: id, isPositive: true, refusals: 0, isRivalTaken: true).violations.count == 1)
    }
}

/// Phones.
private final class Reporters: Sendable {
    /// What became of one phone's calls.
    struct Journey: Sendable {
        let id: UUID
        /// Whether its last answer was positive.
        let isPositive: Bool
        /// How many of its own calls were refused.
        let refusals: Int
        /// Whether somebody else could take its report back.
        let isRivalTaken: Bool

        var violations: [String] {
            (refusals == 0 ? [] : ["\(refusals) calls of an id's owner were refused"])
                + (isRivalTaken ? ["another key changed a report"] : [])
        }
    }

    private let apps: ServiceClient
    let callers = RepeatingCallers()

    init(_ suite: KillableSuite) throws {
        apps = try ServiceClient(
            base: suite.url(of: .further, .app), tls: suite.certificate("metadata-proxy"), name: "apps",
            deadline: .seconds(4))
    }

    /// Runs phones, each worker one after another, while `body` runs; then lets them finish.
    func run(_ workers: Int, _ body: () async throws -> Void) async throws -> [Journey] {
        let result: Result<[Journey], any Error>
        do {
            result = .success(try await callers.run(workers, { _ in try await self.journey() }, while: body))
        } catch {
            result = .failure(error)
        }
        await apps.close()
        return try result.get()
    }

    // MARK: One phone

    private func journey() async throws -> Journey {
        let (id, key, rival) = (UUID(), FurtherKey(), FurtherKey())
        let now = Int64(Date().timeIntervalSince1970)
        var accepted: [Bool] = []
        accepted.append(try await isAccepted { _ = try await self.apps.call(FurtherAPI.key, try key.registration()) })
        accepted.append(try await post(id, isPositive: true, at: now, by: key))
        async let registered = isAccepted { _ = try await self.apps.call(FurtherAPI.key, try rival.registration()) }
        // Answered again while it is known: phones repeat what wasn't confirmed.
        accepted.append(try await post(id, isPositive: true, at: now, by: key))
        accepted.append(try await registered)
        let isRivalTaken = try await post(id, isPositive: false, at: now + 1, by: rival)
        let isPositive = Bool.random()
        if !isPositive { accepted.append(try await post(id, isPositive: false, at: now + 1, by: key)) }
        return Journey(
            id: id, isPositive: isPositive, refusals: accepted.count { !$0 }, isRivalTaken: isRivalTaken)
    }

    private func post(_ id: UUID, isPositive: Bool, at seconds: Int64, by key: FurtherKey) async throws -> Bool {
        let answers = Questionnaire.Answers(feelingSick: true, hasBeenTested: true, testResult: isPositive)
        let message = try SignedMessage(HealthReport(id: id, answers: answers, lastUpdate: seconds))
        // Signed once: the same call is repeated until it is answered.
        let signed = try key.signed(message, to: FurtherAPI.report.route, at: Date())
        return try await isAccepted { _ = try await self.apps.call(FurtherAPI.report, signed) }
    }

    private func isAccepted(_ call: () async throws -> Void) async throws -> Bool {
        try await callers.outcome(of: call).isOK
    }
}

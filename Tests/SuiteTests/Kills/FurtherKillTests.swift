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

/// Kills further and PostgreSQL repeatedly, while phones register keys and post signed reports.
///
/// What was acknowledged is in the table, to be published at once; a lost answer burns neither key nor id; and an id stays its owner's.
/// `PublishListsTests` shows that what is in the table is in the next list.
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
            try await reporters.run(4) {
                for number in 0..<KillPlan.kills {
                    try await Task.sleep(for: .milliseconds(.random(in: 50...700, using: &randomness)))
                    let victim: KillableSuite.Member = number.isMultiple(of: 2) ? .further : .postgres
                    try await suite.kill(victim)
                    try await suite.start(victim)
                }
            }
            let stored = try await suite.asSuperuser { session in
                try session.rows(
                    "SELECT id FROM further.report WHERE release_at = 0 AND withdrawn_at IS NULL", as: UUID.self)
            }
            let journeys = reporters.journeys
            #expect(Set(stored) == Set(journeys.filter(\.isPositive).map(\.id)), "seed \(KillPlan.seed)")
            #expect(journeys.flatMap(\.violations) == [], "seed \(KillPlan.seed)")
            #expect(journeys.count > KillPlan.kills)
            #expect(reporters.unanswered > 0)
            print(
                "\(KillPlan.kills) kills, seed \(KillPlan.seed): \(journeys.count) phones, \(reporters.unanswered) calls "
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

/// Phones that repeat every call until it is answered.
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
    private let finished = Mutex<[Journey]>([])
    private let lost = Mutex(0)
    private let isOver = Mutex(false)

    private static let patience: Duration = .seconds(60)

    init(_ suite: KillableSuite) throws {
        apps = try ServiceClient(
            base: suite.url(of: .further, .app), tls: suite.certificate("metadata-proxy"), name: "apps",
            deadline: .seconds(4))
    }

    var journeys: [Journey] { finished.withLock { $0 } }
    /// Calls without an answer.
    var unanswered: Int { lost.withLock { $0 } }

    /// Runs phones, each worker one after another, while `body` runs; then lets them finish.
    func run(_ workers: Int, _ body: () async throws -> Void) async throws {
        let result: Result<Void, any Error>
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<workers {
                    group.addTask {
                        while !self.isOver.withLock({ $0 }) {
                            let journey = try await self.journey()
                            self.finished.withLock { $0.append(journey) }
                        }
                    }
                }
                try await body()
                isOver.withLock { $0 = true }
                try await group.waitForAll()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await apps.close()
        try result.get()
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
        return try await isAccepted {
            let signed = try key.signed(message, to: FurtherAPI.report.route, at: Date())
            _ = try await self.apps.call(FurtherAPI.report, signed)
        }
    }

    /// Retries until it is answered: whether with 200.
    ///
    /// A call that the connection repeated by itself, after a lost answer, is refused because its nonce was used (401). So a phone signs
    /// again. Who is locked out is refused however often it signs.
    private func isAccepted(_ call: () async throws -> Void) async throws -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        var signaturesLeft = 3
        while true {
            do {
                try await call()
                return true
            } catch CallError.refused(.unauthorized) where signaturesLeft > 0 {
                signaturesLeft -= 1
            } catch CallError.refused {
                return false
            } catch CallError.unavailable {
                lost.withLock { $0 += 1 }
                guard ContinuousClock.now < deadline else { throw CallError.unavailable }
                try await Task.sleep(for: .milliseconds(.random(in: 5...60)))
            }
        }
    }
}

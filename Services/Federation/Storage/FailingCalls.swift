import FoundationEssentials
import Postgres

/// The table `federation.failing_call` of one gateway: why calls fail that belong to no batch, for `federation status`.
struct FailingCalls: Sendable {
    /// What is tried again and again.
    enum Call: String, Sendable {
        /// Looking for batches.
        case look
        /// Keeping the subscription.
        case callback
    }

    /// A call that failed when it was last tried.
    struct Failure: Sendable, Equatable {
        let call: String
        let reason: String
        /// What the gateway said.
        let answer: String?
        /// When it first failed.
        let since: Date
    }

    private let database: PostgresClient
    private let gateway: String

    init(_ database: PostgresClient, gateway: String) {
        self.database = database
        self.gateway = gateway
    }

    /// Does a call, and notes how it ended.
    func noting<Outcome>(_ call: Call, at now: Date, _ body: () async throws -> Outcome) async throws -> Outcome {
        let outcome: Outcome
        do {
            outcome = try await body()
        } catch let problem as GatewayClient.Problem {
            try await note(call, problem, at: now)
            throw problem
        }
        try await note(call, nil, at: now)
        return outcome
    }

    private func note(_ call: Call, _ problem: GatewayClient.Problem?, at now: Date) async throws {
        let gateway = gateway
        try await database.session { session in
            guard let problem else {
                _ = try session.execute(
                    "DELETE FROM federation.failing_call WHERE gateway = \(gateway) AND call = \(call.rawValue)")
                return
            }
            _ = try session.execute(
                """
                INSERT INTO federation.failing_call AS known (gateway, call, reason, answer, since, failed_at)
                VALUES (\(gateway), \(call.rawValue), \(problem.reason), \(nullable: problem.said), \(now), \(now))
                ON CONFLICT (gateway, call) DO UPDATE
                SET reason = excluded.reason, answer = excluded.answer, failed_at = excluded.failed_at
                """)
        }
    }
}

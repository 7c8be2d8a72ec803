import ExposureKeys
import FederationFormat
import FoundationEssentials
import Logging
import Synchronization

/// Finds batches without being called: the first of each day, and what follows the last that is known.
///
/// A gateway forgets a subscription after some failures, so callbacks alone would let the downloads stop for ever. Batches form a chain
/// across midnight; every batch that is read names the next one (``ReadBatches``), so here only ends of the chain are asked for.
struct FindBatches: Sendable {
    let store: IncomingStore
    let client: GatewayClient
    let plan: GatewayPlan
    let logger: Logger
    /// Past days that were asked for in this hour, without a batch of their own.
    private let asked = AskedDays()

    init(store: IncomingStore, client: GatewayClient, plan: GatewayPlan, logger: Logger) {
        self.store = store
        self.client = client
        self.plan = plan
        self.logger = logger
    }

    /// How many ends are asked for what follows. Usually there is one; more of them if links couldn't be read.
    private static let mostEnds = 10
    /// How many false links in a row are undone in one look.
    private static let mostSteps = 100

    func run(at now: Date) async throws {
        let today = Day(containing: now)
        let first = today.advanced(by: -plan.days)
        let known = try await store.daysWithBatches(from: first)
        for day in first...today where !known.contains(day) {
            guard day == today || asked.insert(day, in: Hour(containing: now)) else { continue }
            if case .batch(let found) = try await ask(day, nil) {
                try await store.announce(found.tag, found.tag.day ?? day, days: plan.days, at: now)
            }
        }
        var steps = 0
        while steps < Self.mostSteps, try await hasLostEnds(from: first, at: now) { steps += 1 }
    }

    /// Asks for what follows the ends.
    /// - Returns: whether there was an end that the gateway doesn't have. Then what links to it is an end.
    private func hasLostEnds(from first: Day, at now: Date) async throws -> Bool {
        var hasLost = false
        for end in try await store.ends(from: first, most: Self.mostEnds) {
            switch try await ask(end.day, end.tag) {
            case .batch(let found):
                guard found.tag == end.tag, case .next(let next)? = found.link else { continue }
                try await store.link(end, to: next, days: plan.days, at: now)
            case .none(let problem):
                try await store.forget(end, reason: problem.reason, problem.said, at: now)
                hasLost = true
            case .unreadable: continue
            }
        }
        return hasLost
    }

    private enum Found {
        case batch(GatewayClient.Download)
        /// There is none, or none any more.
        case none(GatewayClient.Problem)
        case unreadable
    }

    private func ask(_ day: Day, _ tag: BatchTag?) async throws(GatewayClient.Problem) -> Found {
        do {
            return .batch(try await client.download(day, tag))
        } catch {
            switch error {
            case .refused(let status, _) where GatewayClient.Problem.missing.contains(status): return .none(error)
            case .malformed(let what):
                logger.warning("the gateway's answer can't be read", metadata: ["reason": "\(what.rawValue)"])
                return .unreadable
            case .refused, .unavailable: throw error
            }
        }
    }

    /// Days that were asked for in one hour.
    private final class AskedDays: Sendable {
        private let state = Mutex<(hour: Hour?, days: Set<Day>)>((nil, []))

        /// Whether the day wasn't asked for in this hour.
        func insert(_ day: Day, in hour: Hour) -> Bool {
            state.withLock { state in
                if state.hour != hour { state = (hour, []) }
                return state.days.insert(day).inserted
            }
        }
    }
}

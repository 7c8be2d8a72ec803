import Calling
import FoundationEssentials
import FurtherAPI
import HTTPContract
import Running
import ServiceLifecycle
import Serving

/// `POST /health` and `POST /health/batch`: stores positive answers, and deletes what isn't positive any more.
///
/// Reports of many apps are written in one transaction. An answer waits for a commit also if it changes nothing, so a negative report can
/// serve as a dummy.
struct AcceptReports: Service {
    private let callers: VerifyCaller
    private let limit: ReportLimit
    private let clock: WallClock
    private let posts: Batcher<Post, PostOutcome>

    /// By how many seconds a phone's clock may be ahead.
    private static let tolerance: Double = 300

    init(callers: VerifyCaller, limit: ReportLimit, clock: WallClock, store: ReportStore) {
        self.callers = callers
        self.limit = limit
        self.clock = clock
        posts = Batcher(maximum: 128, workers: 1) { try await store.take($0, at: clock.now) }
    }

    func run() async throws { try await posts.run() }

    func handle(_ message: SignedMessage<HealthReport>, from caller: Caller) async throws -> Accepted {
        try await take([message.content], of: message, FurtherAPI.report.route, isBatch: false)
    }

    func handleBatch(_ message: SignedMessage<HealthBatch>, from caller: Caller) async throws -> Accepted {
        try await take(message.content.reports, of: message, FurtherAPI.batch.route, isBatch: true)
    }

    private func take(
        _ reports: [HealthReport], of message: SignedMessage<some JSONMessage & Equatable>, _ route: Route,
        isBatch: Bool
    ) async throws -> Accepted {
        let latest = clock.now.timeIntervalSince1970 + Self.tolerance
        guard reports.allSatisfy({ $0.lastUpdate <= latest }) else { throw Problem.badRequest }
        let signer = try await callers.signer(of: message, route)
        guard limit.admits(reports.map(\.id), of: signer?.key) else { throw Problem.tooManyRequests }
        let post = Post(
            reports: reports, isBatch: isBatch, signer: signer, respectsHolders: callers.signatures != .off)
        switch try await posts.answer(to: post) {
        case .taken: return Accepted()
        case .replayed, .unsigned: throw Problem.unauthorized
        case .foreign: throw Problem.forbidden
        }
    }
}

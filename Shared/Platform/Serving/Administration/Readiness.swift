import Running
import ServiceLifecycle
import Synchronization

/// Whether requests should be sent here.
final class Readiness: Sendable {
    private enum Stage {
        case starting
        case serving
        case stopping
    }

    private let checks: [ReadinessCheck]
    /// What doesn't keep requests away.
    private let warnings: @Sendable () -> [String]
    /// What stands for something real; the same while the service runs.
    private let simulated: [String]
    private let stage = Mutex(Stage.starting)

    init(checks: [ReadinessCheck], warnings: @escaping @Sendable () -> [String], simulated: [String]) {
        self.checks = checks
        self.warnings = warnings
        self.simulated = simulated
    }

    /// The answer to `GET /ready`, as JSON.
    struct Answer: Codable {
        /// The names of the failing checks; empty if the service is ready.
        let failing: [String]
        /// Nil if there are none.
        let warnings: [String]?
        /// Which settings are fit for trials only. Apart from `warnings`, because in development it is what everybody wants.
        let simulated: [String]?
    }

    func answer() async -> Answer {
        let warnings = warnings()
        return Answer(
            failing: await failures(), warnings: warnings.isEmpty ? nil : warnings,
            simulated: simulated.isEmpty ? nil : simulated)
    }

    func serve() { stage.withLock { if $0 == .starting { $0 = .serving } } }
    func stop() { stage.withLock { $0 = .stopping } }

    /// The names of the failing checks; empty if the service is ready.
    func failures() async -> [String] {
        switch stage.withLock({ $0 }) {
        case .starting: return ["starting"]
        case .stopping: return ["stopping"]
        case .serving: break
        }
        return await withTaskGroup(of: String?.self) { group in
            for check in checks {
                group.addTask { await check.passes() ? nil : check.name }
            }
            var failed: [String] = []
            for await name in group {
                if let name { failed.append(name) }
            }
            return failed.sorted()
        }
    }
}

/// Makes a service ready once its ports are open, and unready before anything else stops.
///
/// It is the last service of its group, so it is the first to be told to shut down.
struct ReadinessSwitch: Service {
    let readiness: Readiness
    let ports: [BoundPort]
    /// How long listeners keep accepting after `/ready` has begun to fail, so that a load balancer can notice.
    let delay: Duration
    /// Called once all ports are open.
    let opened: @Sendable () -> Void

    func run() async throws {
        await withGracefulShutdownHandler {
            for port in ports {
                _ = try? await cancelWhenGracefulShutdown { try await port.value }
            }
            readiness.serve()
            opened()
            try? await gracefulShutdown()
        } onGracefulShutdown: {
            readiness.stop()
        }
        if !Task.isCancelled, delay > .zero { try? await Task.sleep(for: delay) }
    }
}

package import HTTPContract
import HTTPTypes
package import Logging
import ServiceLifecycle
import Synchronization

/// Looks at start whether a peer has the operations that only Vigil's servers have, so that another one, such as a published server
/// of the Corona-Warn-App, is named before a phone needs it.
///
/// `ARCHITECTURE.md`, "Replacing one service", says which pairs work. A peer that can't be reached is asked again until it answers:
/// services may start in any order.
package final class PeerCheck: Service {
    private let peer: ServiceClient
    private let setting: String
    private let routes: [Route]
    private let logger: Logger
    private let pause: Duration
    private let found = Mutex<[String]>([])

    /// - Parameters:
    ///   - setting: the configuration key with the peer's address.
    ///   - routes: the operations that only Vigil's server has.
    ///   - pause: before a peer that doesn't answer is asked again.
    package init(
        _ peer: ServiceClient, at setting: String, needing routes: [Route], logger: Logger,
        pause: Duration = .seconds(5)
    ) {
        self.pause = pause
        self.peer = peer
        self.setting = setting
        self.routes = routes
        self.logger = logger
    }

    /// What the operator should know, for `/ready`; empty until the peer has answered.
    package var warnings: [String] { found.withLock { $0 } }

    /// Asks until there is an answer, then waits for shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.look() }
        try? await gracefulShutdown()
    }

    /// Returns once the peer has answered for each operation, or the task is cancelled.
    func look() async {
        for route in routes { await look(at: route) }
    }

    private func look(at route: Route) async {
        while !Task.isCancelled {
            if let status = try? await peer.statusOfOtherMethod(at: route), status.kind != .serverError {
                if status != .methodNotAllowed { warn(of: route, status) }
                return
            }
            try? await Task.sleep(for: pause)
        }
    }

    private func warn(of route: Route, _ status: HTTPResponse.Status) {
        logger.error(
            "a peer lacks an operation that this service needs",
            metadata: [
                "peer": "\(peer.name)", "setting": "\(setting)", "route": "\(route.path)", "status": "\(status.code)",
            ])
        let sentence =
            "The server at \(setting) has no \(route.method.rawValue) \(route.path) (it answered \(status.code)): it isn't Vigil's "
            + "\(peer.name), which this service needs."
        found.withLock { $0.append(sentence) }
    }
}

package import Logging
package import Running
package import ServiceLifecycle
package import Serving

/// Runs listeners as a service would, with their own metrics, while `body` runs.
///
/// The system chooses the ports; read them with `try await listener.boundPort`.
///
/// - Parameters:
///   - settings: as in a configuration file, with dotted keys.
///   - logger: by default nothing is logged.
package func withService<Result: Sendable>(
    listeners: [Listener], services: [any Service] = [], readiness: [ReadinessCheck] = [],
    warnings: @escaping @Sendable () -> [String] = { [] }, settings: [String: String] = [:], clock: WallClock = .system,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    _ body: (ServiceRuntime) async throws -> Result
) async throws -> Result {
    let runtime = ServiceRuntime(name: "test-service", settings: settings, clock: clock, logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            try await runtime.run(
                listeners: listeners, services: services, readiness: readiness, warnings: warnings)
        }
        for listener in listeners { _ = try await listener.boundPort }
        let result = try await body(runtime)
        group.cancelAll()
        try await group.waitForAll()
        return result
    }
}

package import Logging
import UnixSignals

/// Runs services together and ends them in order.
///
/// - A graceful shutdown tells the last service first, waits until it has ended, and goes on with the one before. It
///   begins by a signal, by ``triggerGracefulShutdown()``, or because the service that this group is part of is told.
/// - A service that returns before it was told cancels all others.
/// - A service that throws cancels them or shuts them down, as configured. The first error is thrown once all have
///   ended.
package final class ServiceGroup: Sendable {
    private let configuration: ServiceGroupConfiguration
    private let request = Shutdown()

    /// A group that hasn't started yet.
    package init(configuration: ServiceGroupConfiguration) {
        self.configuration = configuration
    }

    /// A group whose services' failures cancel it, without limits of time.
    package convenience init(services: [any Service], logger: Logger) {
        self.init(configuration: ServiceGroupConfiguration(services: services, logger: logger))
    }

    /// Begins the graceful shutdown, and returns at once. Before ``run()``, it takes effect when that starts.
    package func triggerGracefulShutdown() async {
        request.begin()
    }

    /// Runs the services until all of them have ended. May be called once.
    ///
    /// - Throws: the first error of a service; ``ServiceGroupError`` if one returned too early; `CancellationError` if
    ///   the task was cancelled.
    package func run() async throws {
        // Signals are trapped before the first service starts.
        let signals = UnixSignalsSequence(trapping: configuration.gracefulShutdownSignals)
        let limit = CancellationLimit(configuration)
        defer { limit.stop() }
        let error = await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await runServices(signals, limit)
            } onGracefulShutdown: { [request] in
                request.begin()
            }
        } onCancel: {
            limit.start()
        }
        if let error { throw error }
        try Task.checkCancellation()
    }

    /// - Returns: the first error.
    private func runServices(_ signals: UnixSignalsSequence, _ limit: CancellationLimit) async -> (any Error)? {
        await withTaskGroup(of: ServiceGroupRun.Event.self) { group in
            var run = ServiceGroupRun(configuration, limit)
            group.addTask { [request] in
                try? await request.begun()
                return .shutdownRequested
            }
            if !configuration.gracefulShutdownSignals.isEmpty {
                group.addTask { [request] in
                    for await _ in signals { request.begin() }
                    return .signalsEnded
                }
            }
            run.start(in: &group)
            while run.isRunning, let event = await group.next() { run.handle(event, in: &group) }
            group.cancelAll()
            return run.error
        }
    }
}

/// Why a group ended although no service threw.
package enum ServiceGroupError: Error, CustomStringConvertible {
    /// A service returned although nobody had told it to shut down.
    case serviceFinishedUnexpectedly(service: String)

    package var description: String {
        switch self {
        case .serviceFinishedUnexpectedly(let service): "the service \(service) ended before it was told to"
        }
    }
}

import Glibc
import Logging
import Synchronization

/// Ends the process if cancelled services take too long.
///
/// A thread of its own waits: tasks could all be cancelled, or be stuck themselves.
final class CancellationLimit: Sendable {
    private let duration: Duration?
    private let logger: Logger
    private let state = Mutex((hasStarted: false, hasStopped: false))

    init(_ configuration: ServiceGroupConfiguration) {
        duration = configuration.maximumCancellationDuration
        logger = configuration.logger
    }

    /// Begins the time, at the first call.
    func start() {
        guard duration != nil else { return }
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted && !state.hasStopped
        }
        guard isFirst else { return }
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<CancellationLimit>.fromOpaque(argument).takeRetainedValue().expire()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        guard failure == 0 else { preconditionFailure("no thread for the time limit: error \(failure)") }
        pthread_detach(thread)
    }

    /// All services have ended: nothing happens any more.
    func stop() {
        state.withLock { $0.hasStopped = true }
    }

    private func expire() {
        let end = ContinuousClock.now + (duration ?? .zero)
        while ContinuousClock.now < end, !state.withLock({ $0.hasStopped }) { usleep(1000) }
        if state.withLock({ $0.hasStopped }) { return }
        logger.critical("cancellation took too long; ending the process")
        _exit(1)
    }
}

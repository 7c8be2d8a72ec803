import Logging

/// What a group of services has come to.
struct ServiceGroupRun {
    enum Event: Sendable {
        case serviceEnded(Int, (any Error)?)
        case shutdownRequested
        case signalsEnded
        case graceExpired
    }

    private enum Phase {
        case running
        /// The service of this index has been told last.
        case shuttingDown(Int)
        case cancelled
    }

    /// The first error, or the first early return.
    private(set) var error: (any Error)?

    var isRunning: Bool { !unfinished.isEmpty }

    private let configuration: ServiceGroupConfiguration
    private let limit: CancellationLimit
    private let shutdowns: [Shutdown]
    private var unfinished: Set<Int>
    private var phase = Phase.running

    init(_ configuration: ServiceGroupConfiguration, _ limit: CancellationLimit) {
        self.configuration = configuration
        self.limit = limit
        shutdowns = configuration.services.map { _ in Shutdown() }
        unfinished = Set(configuration.services.indices)
    }

    func start(in group: inout TaskGroup<Event>) {
        for (index, entry) in configuration.services.enumerated() {
            let shutdown = shutdowns[index]
            group.addTask {
                await Shutdown.$current.withValue(shutdown) {
                    do {
                        try await entry.service.run()
                        return .serviceEnded(index, nil)
                    } catch {
                        return .serviceEnded(index, error)
                    }
                }
            }
        }
    }

    mutating func handle(_ event: Event, in group: inout TaskGroup<Event>) {
        switch event {
        case .serviceEnded(let index, let failure): ended(index, failure, in: &group)
        case .shutdownRequested: if !group.isCancelled { shutDown(in: &group) }
        case .signalsEnded: break
        case .graceExpired:
            guard case .shuttingDown = phase, !group.isCancelled else { return }
            configuration.logger.warning("graceful shutdown took too long; cancelling")
            cancel(&group)
        }
    }

    private mutating func ended(_ index: Int, _ failure: (any Error)?, in group: inout TaskGroup<Event>) {
        unfinished.remove(index)
        // What a cancelled service throws tells nothing new.
        if group.isCancelled { return }
        let entry = configuration.services[index]
        if let failure {
            error = error ?? failure
            switch entry.failureTerminationBehavior {
            case .cancelGroup: return cancel(&group)
            case .gracefullyShutdownGroup: shutDown(in: &group)
            }
        } else if !shutdowns[index].hasBegun {
            error = error ?? ServiceGroupError.serviceFinishedUnexpectedly(service: "\(type(of: entry.service))")
            return cancel(&group)
        }
        if case .shuttingDown(index) = phase { tellNext() }
    }

    private mutating func shutDown(in group: inout TaskGroup<Event>) {
        guard case .running = phase else { return }
        if let time = configuration.maximumGracefulShutdownDuration {
            group.addTask {
                try? await Task.sleep(for: time)
                return .graceExpired
            }
        }
        tellNext()
    }

    /// Tells the last service that still runs.
    private mutating func tellNext() {
        guard let index = unfinished.max() else { return }
        phase = .shuttingDown(index)
        shutdowns[index].begin()
    }

    private mutating func cancel(_ group: inout TaskGroup<Event>) {
        phase = .cancelled
        limit.start()
        group.cancelAll()
    }
}

import Logging
import Metrics
package import Running
package import ServiceLifecycle
import TLS

extension ServiceRuntime {
    /// Runs until a signal, a graceful shutdown or cancellation.
    ///
    /// Services start in their order, then the admin port, then the listeners; a service may be a ``PortOwner``, too.
    /// Meanwhile, the TLS files of listeners, and of services that are ``TLSUser``, are checked.
    ///
    /// Shutdown runs in reverse: `/ready` fails, listeners stop accepting and finish their requests, then services stop. After
    /// 30 s everything is cancelled, and after another 20 s the process ends.
    ///
    /// `/ready` also names which of the settings that were read until now are simulated.
    ///
    /// - Parameter warnings: what an operator should repair although the service works. `/ready` names it and answers 200 all the same.
    /// - Throws: ``ListenProblem`` for a port that is taken, ``ConfigurationProblem`` for invalid settings, and errors of
    ///   services.
    package func run(
        listeners: [Listener], services: [any Service] = [], readiness: [ReadinessCheck] = [],
        warnings: @escaping @Sendable () -> [String] = { [] }
    ) async throws {
        let readiness = Readiness(checks: readiness, warnings: warnings, simulated: configuration.simulated)
        let opened = try listeners.map { listener in try service(of: listener) }
        let owners = services.compactMap { $0 as? any PortOwner } + opened
        let figures = Listener.Figures(readiness: readiness, metrics: metrics, clock: clock)
        let adminListener = Listener.admin(
            port: try configuration.port("admin.port", default: adminPortDefault), bound: admin, figures: figures,
            documents: try owners.compactMap { owner in
                try OpenAPIDocument(owner, of: name).map { (owner.listener, $0) }
            })
        let delay = try configuration.duration("shutdown.delay", default: .zero, in: .zero ... .seconds(20))
        var group = services
        let metricsListener = try Listener.metrics(configuration, bound: metricsBound, figures: figures)
        let unused = configuration.unusedKeys
        if !unused.isEmpty {
            logger.warning(
                "unknown keys in the configuration file",
                metadata: ["keys": .array(unused.map { .string($0) })])
        }
        let operatorPorts = try ([adminListener] + (metricsListener.map { [$0] } ?? [])).map { try service(of: $0) }
        group += operatorPorts as [any Service]
        group += opened
        certificates.add(group.compactMap { ($0 as? any TLSUser)?.watchedTLS })
        group.append(certificates)
        let logger = logger
        group.append(
            ReadinessSwitch(readiness: readiness, ports: operatorPorts.map(\.bound) + owners.map(\.bound), delay: delay)
            {
                logger.info("started")
                opening.resolve(.success(0))
            })
        var configuration = ServiceGroupConfiguration(
            services: group.map { service in
                // Requests may also finish when something else has failed.
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: service, failureTerminationBehavior: .gracefullyShutdownGroup)
            }, gracefulShutdownSignals: signals, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(30)
        // Whatever doesn't end even then ends with its process. A statement may take fifteen seconds.
        if !signals.isEmpty { configuration.maximumCancellationDuration = .seconds(20) }
        let services = ServiceGroup(configuration: configuration)
        do {
            try await withMetricsFactory(metrics) { try await services.run() }
        } catch is CancellationError where Task.isCancelled {
            // The owner of the task has cancelled it.
        }
        logger.info("stopped")
    }

    private func service(of listener: Listener) throws -> ListenerService {
        try ListenerService(
            listener, serviceName: name, clock: clock, metrics: metrics, logger: logger)
    }
}

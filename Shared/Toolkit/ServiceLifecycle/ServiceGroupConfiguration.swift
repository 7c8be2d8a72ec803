package import Logging
package import UnixSignals

/// What a ``ServiceGroup`` runs and how it ends.
package struct ServiceGroupConfiguration: Sendable {
    /// The services, in the order in which they start. They stop in reverse.
    package var services: [ServiceConfiguration]

    /// Signals that begin the graceful shutdown.
    package var gracefulShutdownSignals: [UnixSignal]

    /// Receives warnings.
    package var logger: Logger

    /// After this time, a graceful shutdown becomes a cancellation; nil for no limit.
    package var maximumGracefulShutdownDuration: Duration?

    /// After this time, a cancellation ends the process with status 1; nil for no limit.
    package var maximumCancellationDuration: Duration?

    /// A group of services, without limits of time.
    package init(services: [ServiceConfiguration], gracefulShutdownSignals: [UnixSignal] = [], logger: Logger) {
        self.services = services
        self.gracefulShutdownSignals = gracefulShutdownSignals
        self.logger = logger
    }

    /// A group of services whose failures cancel it, without limits of time.
    package init(services: [any Service], gracefulShutdownSignals: [UnixSignal] = [], logger: Logger) {
        self.init(
            services: services.map { ServiceConfiguration(service: $0) },
            gracefulShutdownSignals: gracefulShutdownSignals, logger: logger)
    }

    /// A service and what its failure does.
    package struct ServiceConfiguration: Sendable {
        /// The service.
        package var service: any Service

        /// What the group does if the service throws.
        package var failureTerminationBehavior: TerminationBehavior

        /// A service and what its failure does.
        package init(service: any Service, failureTerminationBehavior: TerminationBehavior = .cancelGroup) {
            self.service = service
            self.failureTerminationBehavior = failureTerminationBehavior
        }

        /// How a group ends because of one of its services.
        package enum TerminationBehavior: Sendable {
            case cancelGroup
            case gracefullyShutdownGroup
        }
    }
}

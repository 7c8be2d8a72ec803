package import Catalogue

/// One process of a suite on one machine, with its configuration.
package struct ServicePlan: Sendable {
    /// The service's catalogue entry.
    package let service: Catalogue.Service
    /// The settings by dotted key, as in the service's README.
    package let settings: [String: SettingValue]

    /// Names the process, its log and its configuration file.
    package var name: String { service.name }

    /// The command line after the executable.
    package func arguments(configuration file: String) -> [String] { service.subcommand + ["--config", file] }

    /// Everything it listens on: the configuration key, the port, its URL in a suite and who it is for.
    package func ports(first: Int) -> [LocalPort] {
        service.listeners.map {
            LocalPort(
                key: "\($0.name.rawValue).port", number: $0.port.number(first: first), scheme: $0.scheme,
                purpose: $0.purpose)
        } + [
            LocalPort(
                key: "admin.port", number: service.admin.number(first: first), scheme: "http",
                purpose: "operator: /health /ready /metrics")
        ]
    }
}

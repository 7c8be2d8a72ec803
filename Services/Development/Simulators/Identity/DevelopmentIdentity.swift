package import ArgumentParser
package import Running
import Serving

/// The executable `development-identity`: a simulated OpenID Connect provider that refuses what Keycloak refuses.
package struct DevelopmentIdentity: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "development-identity",
        abstract: "A simulated OpenID Connect provider, for development and tests on one machine.",
        subcommands: [ReadyCommand.self])

    /// The options of the command line: the path of the configuration file.
    @OptionGroup package var options: ServiceOptions

    /// For ArgumentParser, which sets the options afterwards.
    package init() {}

    package func run() async throws {
        try await Self.serve(ServiceRuntime(name: "development-identity", options: options))
    }

    /// Runs the provider until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        try await runtime.run(listeners: [])
    }
}

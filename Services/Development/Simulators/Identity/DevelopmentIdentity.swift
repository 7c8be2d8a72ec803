package import ArgumentParser
package import Running
import Serving
import TLS

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
        let settings = runtime.configuration
        let files = try TLSFiles(settings)
        let notifier = try Notifier(authorities: settings.path("tls.authorities"))
        let provider = try IdentityProvider(Registry(settings), clock: runtime.clock) { address, token in
            await notifier.post(token, to: address)
        }
        // Browsers have no certificate.
        let listener = try Listener("listen", from: settings, defaultPort: 8080, security: .publicTLS(files)) {
            provider.mount(on: &$0)
        }
        let control = try Listener("control", from: settings, defaultPort: 8083, security: .plain) {
            provider.mountControl(on: &$0)
        }
        try await runtime.run(listeners: [listener, control])
    }
}

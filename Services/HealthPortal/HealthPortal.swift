package import ArgumentParser
package import Running
import Schema
import Serving
import TLS

/// The executable `health-portal`: the pages of health officers.
package struct HealthPortal: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "health-portal", abstract: "The pages of health officers: codes, figures, status.",
        subcommands: [ReadyCommand.self])

    /// The options of the command line: the path of the configuration file.
    @OptionGroup package var options: ServiceOptions

    /// For ArgumentParser, which sets the options afterwards.
    package init() {}

    package func run() async throws {
        try await Self.serve(ServiceRuntime(name: "health-portal", options: options))
    }

    /// Runs the service until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.healthPortal.check(database)
        try await runtime.run(
            listeners: [], services: [database], readiness: [ServiceDatabase.readiness(of: database)])
    }
}

package import ArgumentParser
package import Running
import Serving

/// The executable `download-server`: serves the published tree on a single machine.
package struct DownloadServer: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "download-server", abstract: "Serves the published tree to apps, on a single machine.",
        discussion: "Beyond one machine a web server or a CDN serves the same directory.",
        subcommands: [ReadyCommand.self])

    /// The command line's options: the path of the configuration file.
    @OptionGroup package var options: ServiceOptions

    /// For ArgumentParser, which fills in the options afterwards.
    package init() {}

    package func run() async throws {
        try await Self.serve(ServiceRuntime(name: "download-server", options: options))
    }

    /// Runs the service until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        try await runtime.run(listeners: [try FileServer.listener(runtime)])
    }
}

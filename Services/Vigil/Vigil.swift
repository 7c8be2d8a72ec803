package import ArgumentParser

/// The executable `vigil`: the operator's command line.
package struct VigilCommand: AsyncParsableCommand {
    /// The subcommands.
    package static let configuration = CommandConfiguration(
        commandName: "vigil", abstract: "Runs and looks after a Vigil suite.",
        subcommands: [
            UpCommand.self, StoryCommand.self, CertificatesCommand.self, KeysCommand.self, MigrateCommand.self,
            InspectCommand.self, PushCommand.self,
        ])

    /// For the parser.
    package init() {}
}

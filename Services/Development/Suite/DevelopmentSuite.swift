package import ArgumentParser

/// The executable `vigil-dev`: a whole suite on one machine, for development and tests. No production image has it.
package struct DevelopmentCommand: AsyncParsableCommand {
    /// The subcommands.
    package static let configuration = CommandConfiguration(
        commandName: "vigil-dev", abstract: "Runs a Vigil suite on this machine and plays its users.",
        subcommands: [
            UpCommand.self, StoryCommand.self, HourCommand.self, OneTimeCodeCommand.self, OfficerTokenCommand.self,
            FiguresCommand.self, SmokeCommand.self,
        ])

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}
}

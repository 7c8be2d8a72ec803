package import ArgumentParser

/// The options that every executable has.
package struct ServiceOptions: ParsableArguments {
    /// From `--config`; nil when the environment alone configures the program.
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("A JSON file with settings; environment variables win over it.", valueName: "file"))
    package var configurationFile: String?

    /// For ArgumentParser, which fills in the options afterwards.
    package init() {}

    /// Options as a program sets them.
    package init(configurationFile: String?) {
        self.configurationFile = configurationFile
    }
}

package import ArgumentParser

/// The options that every executable has.
package struct ServiceOptions: ParsableArguments {
    /// The value of `--config`; nil if only the environment configures the program.
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("A JSON file with settings; environment variables win over it.", valueName: "file"))
    package var configurationFile: String?

    /// For ArgumentParser, which fills in the options afterwards.
    package init() {}

    /// Creates options in code.
    package init(configurationFile: String?) {
        self.configurationFile = configurationFile
    }
}

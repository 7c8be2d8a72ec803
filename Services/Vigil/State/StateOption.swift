import ArgumentParser

/// The option `--state` of every command that works on a suite on one machine.
package struct StateOption: ParsableArguments {
    @Option(name: .customLong("state"), help: ArgumentHelp("The state folder.", valueName: "folder"))
    var path = ".vigil"

    /// For ArgumentParser, which fills in the option afterwards.
    package init() {}

    /// The folder that the option names.
    package var folder: StateFolder { StateFolder(path) }
}

import ArgumentParser

/// The option `--state` of every command that works on a suite on one machine.
struct StateOption: ParsableArguments {
    @Option(name: .customLong("state"), help: ArgumentHelp("The state folder.", valueName: "folder"))
    var path = ".vigil"

    var folder: StateFolder { StateFolder(path) }
}

import ArgumentParser
import Glibc

/// `vigil push`: runs the push dispatcher's own executable with the suite's configuration.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Look at the waves of silent pushes, or send one push.",
        subcommands: [PushStatusCommand.self, PushTestCommand.self])
}

/// `vigil push status`.
struct PushStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the current wave with its progress, or how the last one ended.")

    @OptionGroup var state: StateOption

    func run() async throws {
        try PushDispatcherProgram.run(["status"], in: state.folder)
    }
}

/// `vigil push test-token TOKEN`.
struct PushTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-token", abstract: "Send one silent push, and explain the answer.",
        discussion: "Ends with 0 if the push was accepted.")

    @OptionGroup var state: StateOption

    @Argument(help: "The push token: hexadecimal digits.")
    var token: String

    @Flag(help: "The token is of a development build.")
    var sandbox = false

    func run() async throws {
        try PushDispatcherProgram.run(
            ["test-token", token] + (sandbox ? ["--sandbox"] : []), in: state.folder)
    }
}

/// The push dispatcher's executable, next to this one.
private enum PushDispatcherProgram {
    /// Replaces this process with the executable, using the suite's configuration.
    static func run(_ arguments: [String], in folder: StateFolder) throws -> Never {
        let configuration = folder.configuration("push-dispatcher")
        guard try folder.read(configuration) != nil else {
            throw CommandFailure(
                "\(folder.path) holds no push dispatcher: run `vigil-dev up` first, or name another folder with --state."
            )
        }
        let program = try SuiteProgram.path(of: "push-dispatcher")
        let words = [program] + arguments + ["--config", configuration]
        let environment = SuiteProgram.environment.map { "\($0.key)=\($0.value)" }
        _ = execve(program, words.map { strdup($0) } + [nil], environment.map { strdup($0) } + [nil])
        throw CommandFailure("\(program) can't be started: \(CommandFailure.systemReason).")
    }
}

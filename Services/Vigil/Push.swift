import ArgumentParser
import Foundation

/// `vigil push`: asks the push dispatcher of a suite; its own executable does the work, with its own configuration.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Look at the waves of silent pushes, or send one push.",
        subcommands: [PushStatusCommand.self, PushTestCommand.self])
}

/// `vigil push status`.
struct PushStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the wave that goes on, with its progress, or how the last one ended.")

    @OptionGroup var state: StateOption

    func run() async throws {
        try await PushDispatcherProgram.run(["status"], in: state.folder)
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
        try await PushDispatcherProgram.run(
            ["test-token", token] + (sandbox ? ["--sandbox"] : []), in: state.folder)
    }
}

/// The executable beside this one.
private enum PushDispatcherProgram {
    /// Runs it with the suite's configuration; what it says goes to the terminal.
    static func run(_ arguments: [String], in folder: StateFolder) async throws {
        let configuration = folder.configuration("push-dispatcher")
        guard try folder.read(configuration) != nil else {
            throw CommandFailure(
                "\(folder.path) holds no push dispatcher: run `vigil up` first, or name another folder with --state.")
        }
        let programs = URL(filePath: try SuiteRun.ownPath).deletingLastPathComponent()
        let exit = try await ChildProcess.run(
            ChildProcess.Program(
                programs.appending(path: "push-dispatcher").path(percentEncoded: false),
                arguments + ["--config", configuration]))
        switch exit {
        case .status(0): return
        // It has said why.
        case .status(let status): throw ExitCode(status)
        case .signal: throw CommandFailure("push-dispatcher \(exit).")
        }
    }
}

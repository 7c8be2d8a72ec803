package import ArgumentParser
import Glibc

/// Runs an executable's command line and ends the process, whose memory never becomes a file (``CoreDumps``).
///
/// What an operator can act on (``OperatorProblem``) is printed to standard error as one line, `name: sentence`, and the
/// process ends with 78 if the configuration is wrong, else with 1. Of any other error just the type's name is printed.
///
/// - Parameters:
///   - command: the root command.
///   - name: of the executable.
///   - arguments: by default those of the process.
package func serviceMain<Command: AsyncParsableCommand>(
    _ command: Command.Type, name: String, arguments: [String]? = nil
) async -> Never {
    do {
        try CoreDumps.switchOff()
        var parsed = try command.parseAsRoot(arguments)
        if var asynchronous = parsed as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try parsed.run()
        }
        exit(0)
    } catch let problem as any OperatorProblem {
        report("\(name): \(problem.description)")
        exit(problem.exitStatus)
    } catch let status as ExitCode {
        // The command has said why.
        exit(status.rawValue)
    } catch  where command.exitCode(for: error) == .failure && !(error is ValidationError) {
        report("\(name): failed with \(String(describing: type(of: error))); the log says more.")
        exit(1)
    } catch {
        // Help, version and mistakes on the command line.
        command.exit(withError: error)
    }
}

private func report(_ line: String) {
    JSONLogHandler.standardError(line + "\n")
}

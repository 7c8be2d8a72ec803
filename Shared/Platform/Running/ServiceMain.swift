package import ArgumentParser
import Glibc

/// Runs an executable's command line and ends the process, whose memory is never written to a file (``CoreDumps``).
///
/// An error that an operator can act on (``OperatorProblem``) is printed to standard error as one line, `name: sentence`. The
/// process ends with 78 if the configuration is wrong, otherwise with 1. Of any other error only the type's name is printed.
/// `--version` prints the libraries that the program has loaded (``LoadedLibrary``).
///
/// - Parameters:
///   - command: the root command.
///   - name: the executable's name.
///   - arguments: by default those of the process.
package func serviceMain<Command: AsyncParsableCommand>(
    _ command: Command.Type, name: String, arguments: [String]? = nil
) async -> Never {
    do {
        try CoreDumps.switchOff()
        var parsed = try command.parseAsRoot(
            arguments, version: ([name] + LoadedLibrary.all.map(\.line)).joined(separator: "\n"))
        if var asynchronous = parsed as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try parsed.run()
        }
        end(0)
    } catch let problem as any OperatorProblem {
        report("\(name): \(problem.description)")
        end(problem.exitStatus)
    } catch let status as ExitCode {
        // The command has already printed the reason.
        end(status.rawValue)
    } catch  where command.exitCode(for: error) == .failure && !(error is ValidationError) {
        report("\(name): failed with \(String(describing: type(of: error))); the log says more.")
        end(1)
    } catch {
        // Help, version, and errors on the command line.
        command.exit(withError: error)
    }
}

/// Ends the process without what `exit` does besides writing out its streams: OpenSSL's cleanup at exit frees what threads of
/// cores, which close their last connections, may still use (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT).
private func end(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
}

private func report(_ line: String) {
    JSONLogHandler.standardError(line + "\n")
}

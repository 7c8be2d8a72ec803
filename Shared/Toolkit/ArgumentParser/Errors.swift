import Glibc

/// A mistake on the command line that only the command can see.
package struct ValidationError: Error, CustomStringConvertible, Equatable {
    /// The sentence for whoever typed it.
    package let message: String

    /// A sentence without the wrong value, which may be a secret.
    package init(_ message: String) {
        self.message = message
    }

    package var description: String { message }
}

/// An end of the process with a status, whose reason has been printed already.
package struct ExitCode: Error, RawRepresentable, Hashable {
    /// The status.
    package let rawValue: Int32

    /// A status.
    package init(_ code: Int32) {
        rawValue = code
    }

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// All went well.
    package static let success = ExitCode(EXIT_SUCCESS)

    /// Something failed.
    package static let failure = ExitCode(EXIT_FAILURE)

    /// The command line is wrong (`EX_USAGE` of sysexits.h).
    package static let validationFailure = ExitCode(EX_USAGE)
}

/// What ends a program before its command runs. It says everything in its text, and never what was typed as a value.
struct CommandError: Error {
    let text: String
    let status: ExitCode

    /// The page that `--help` asks for.
    static func help(_ path: CommandPath) -> Self {
        Self(text: HelpPage(path).text, status: .success)
    }

    /// A mistake.
    ///
    /// - Parameter about: the property that it is about, if it is one.
    static func usage(_ message: String, _ path: CommandPath, about property: Definition? = nil) -> Self {
        var lines = ["Error: \(message)"]
        if let property, !property.help.isEmpty { lines.append("Help:  \(property.label)  \(property.help)") }
        lines.append("Usage: \(HelpPage(path).usage)")
        lines.append("  See '\(path.name) --help' for more information.")
        return Self(text: lines.joined(separator: "\n"), status: .validationFailure)
    }
}

extension ParsableCommand {
    /// The status that ends the process because of an error.
    package static func exitCode(for error: any Error) -> ExitCode {
        switch error {
        case let error as CommandError: error.status
        case let code as ExitCode: code
        case is ValidationError: .validationFailure
        default: .failure
        }
    }

    /// Prints what an error or a wish for help says, and ends the process: help with 0, a wrong command line with 64.
    package static func exit(withError error: any Error) -> Never {
        let status = exitCode(for: error)
        switch error {
        case is ExitCode: break
        case let error as CommandError where status == .success: print(error.text)
        case let error as CommandError: printError(error.text)
        case let error as ValidationError: printError(CommandError.usage(error.message, CommandPath(Self.self)).text)
        default: printError("Error: \(error)")
        }
        Glibc.exit(status.rawValue)
    }

    /// The page that `--help` shows.
    package static func helpMessage() -> String {
        HelpPage(CommandPath(Self.self)).text
    }
}

private func printError(_ text: String) {
    var text = text + "\n"
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// A command and those that it is a subcommand of, root first.
struct CommandPath {
    private let parents: [any ParsableCommand.Type]
    let command: any ParsableCommand.Type

    init(_ command: any ParsableCommand.Type, below parents: [any ParsableCommand.Type] = []) {
        self.command = command
        self.parents = parents
    }

    /// Whether this is the program itself.
    var isRoot: Bool { parents.isEmpty }

    /// What is typed to get here.
    var name: String { (parents + [command]).map { $0.commandName }.joined(separator: " ") }

    /// The path of a subcommand that is typed by name.
    func subcommand(_ name: String) -> CommandPath? {
        command.configuration.subcommands.first { $0.commandName == name }.map(descended)
    }

    var subcommands: [CommandPath] { command.configuration.subcommands.map(descended) }

    var defaultSubcommand: CommandPath? { command.configuration.defaultSubcommand.map(descended) }

    private func descended(to command: any ParsableCommand.Type) -> CommandPath {
        CommandPath(command, below: parents + [self.command])
    }
}

extension ParsableCommand {
    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: by default those of the process.
    ///   - version: what `--version` prints.
    /// - Returns: this command, or the subcommand that the arguments name.
    /// - Throws: what ``exit(withError:)`` takes, also if help or the version is asked for.
    package static func parseAsRoot(
        _ arguments: [String]? = nil, version: @autoclosure () -> String = ""
    ) throws -> any ParsableCommand {
        let arguments = arguments ?? Array(CommandLine.arguments.dropFirst())
        let root = CommandPath(Self.self)
        if arguments == ["--version"] { throw CommandError(text: version(), status: .success) }
        if let first = arguments.first, first.hasPrefix(CompletionScript.option) {
            let shell =
                first == CompletionScript.option
                ? arguments.dropFirst().first : String(first.dropFirst(CompletionScript.option.count + 1))
            guard let script = CompletionScript(root, for: shell ?? "") else {
                throw CommandError.usage("\(CompletionScript.option) takes bash, zsh or fish.", root)
            }
            throw CommandError(text: script.text, status: .success)
        }
        var parser = Parser(root)
        return try parser.parse(arguments[...])
    }
}

/// Reads the arguments of one command.
private struct Parser {
    private let path: CommandPath
    private var command: any ParsableCommand
    private let options: [String: Definition]
    private var positionals: ArraySlice<Definition>
    private let required: [Definition]
    private var given: Set<String> = []

    init(_ path: CommandPath) {
        self.path = path
        command = path.command.init()
        let all = definitions(of: command)
        options = Dictionary(all.filter { $0.kind != .positional }.map { ($0.name, $0) }) { first, _ in first }
        positionals = all.filter { $0.kind == .positional }[...]
        required = all.filter(\.isRequired)
    }

    mutating func parse(_ arguments: ArraySlice<String>) throws -> any ParsableCommand {
        if let next = path.defaultSubcommand, !namesSubcommand(arguments.first), !asksForHelp(arguments.first) {
            var parser = Parser(next)
            return try parser.parse(arguments)
        }
        if arguments.isEmpty, options.isEmpty, positionals.isEmpty, !path.subcommands.isEmpty {
            throw CommandError.help(path)
        }
        var rest = arguments
        var onlyValues = false
        while let word = rest.popFirst() {
            if onlyValues || !looksLikeOption(word) {
                if !onlyValues, namesSubcommand(word) { return try descend(word, rest) }
                try takePositional(word)
            } else if word == "--" {
                onlyValues = true
            } else if asksForHelp(word) {
                throw CommandError.help(path)
            } else {
                try takeOption(word, &rest)
            }
        }
        if let missing = required.first(where: { !given.contains($0.name) }) {
            throw CommandError.usage("Missing expected argument '\(missing.label)'", path, about: missing)
        }
        do {
            try command.validate()
        } catch {
            throw CommandError.usage("\(error)", path)
        }
        return command
    }

    private func asksForHelp(_ word: String?) -> Bool { word == "--help" || word == "-h" }

    private func namesSubcommand(_ word: String?) -> Bool {
        guard let word, !path.subcommands.isEmpty else { return false }
        return word == "help" || path.subcommand(word) != nil
    }

    private func descend(_ word: String, _ rest: ArraySlice<String>) throws -> any ParsableCommand {
        if let next = path.subcommand(word) {
            var parser = Parser(next)
            return try parser.parse(rest)
        }
        // `help` and the names of a command.
        var topic = path
        for name in rest { topic = topic.subcommand(name) ?? topic }
        throw CommandError.help(topic)
    }

    /// Whether a word begins an option. A negative number doesn't, nor does a single hyphen.
    private func looksLikeOption(_ word: String) -> Bool {
        word.hasPrefix("-") && word != "-" && Double(word) == nil
    }

    private mutating func takePositional(_ word: String) throws {
        guard let definition = positionals.first else { throw CommandError.usage("Unexpected argument.", path) }
        positionals.removeFirst()
        try store(word, definition)
    }

    private mutating func takeOption(_ word: String, _ rest: inout ArraySlice<String>) throws {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0].dropFirst(2))
        guard word.hasPrefix("--"), let definition = options[name] else {
            throw CommandError.usage(Self.unknown(parts[0]), path)
        }
        let value = parts.dropFirst().first.map(String.init)
        if definition.kind == .flag {
            guard value == nil else { throw CommandError.usage("'--\(name)' takes no value.", path) }
            return try store("", definition)
        }
        guard let first = value ?? (rest.first.map(looksLikeOption) == false ? rest.removeFirst() : nil) else {
            throw CommandError.usage("Missing value for '\(definition.label)'", path, about: definition)
        }
        try store(first, definition)
        guard definition.takesAllValues, value == nil else { return }
        while let next = rest.first, !looksLikeOption(next) {
            try store(next, definition)
            rest.removeFirst()
        }
    }

    private mutating func store(_ word: String, _ definition: Definition) throws {
        given.insert(definition.name)
        do {
            try definition.store(word)
        } catch {
            var message = "The value of '\(definition.label)' is invalid"
            switch error {
            case is WrongValue where definition.allValues.isEmpty: message += "."
            case is WrongValue: message += "; it must be one of: \(definition.allValues.joined(separator: ", "))."
            default: message += ": \(error)"
            }
            throw CommandError.usage(message, path, about: definition)
        }
    }

    /// Only what can't be anything but the misspelt name of an option is repeated.
    private static func unknown(_ word: Substring) -> String {
        let isName = word.hasPrefix("--") && word.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) }
        return isName ? "Unknown option '\(word)'" : "Unknown option."
    }
}

import ArgumentParser

enum Colour: String, CaseIterable, ExpressibleByArgument {
    case red, green
}

struct Pair: ExpressibleByArgument, Sendable, Equatable {
    let text: String

    init?(argument: String) {
        guard argument.contains("=") else { return nil }
        text = argument
    }
}

struct Shared: ParsableArguments {
    @Option(name: .customLong("config"), help: ArgumentHelp("A file.", valueName: "file"))
    var configurationFile: String?

    init() {}

    init(configurationFile: String?) {
        self.configurationFile = configurationFile
    }
}

/// A program with subcommands and options of its own.
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "program", abstract: "Does it.", subcommands: [Paint.self, Read.self, Group.self])

    @OptionGroup var shared: Shared

    func run() async throws {}
}

struct Paint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "paint", abstract: "Paint something.",
        discussion:
            "It takes a while, because paint has to dry, which nobody can hurry along however much they want it.")

    @Argument(help: ArgumentHelp("What to paint.", valueName: "thing.zip"))
    var thing: String

    @Option(help: "Which colour.") var colour: Colour
    @Option(help: "How many coats.") var coats = 2
    @Option var share = 0.5
    @Option(name: .customLong("set"), help: "Changes.") var changes: [Pair] = []
    @Option(parsing: .upToNextOption) var brushes: [Colour] = [.red]
    @Flag(help: "Don't wait.") var noWait = false
    @OptionGroup var shared: Shared

    func validate() throws {
        guard coats > 0 else { throw ValidationError("--coats must be 1 or more.") }
    }
}

struct Read: ParsableCommand {
    @Argument(help: "A secret.", transform: Read.secret) var secret: Int
    @Argument(transform: Read.secret) var second: Int?
    @Option() var key: [String]
    @Argument var third: String?

    @Sendable private static func secret(_ text: String) throws -> Int {
        guard let number = Int(text) else { throw ValidationError("It is no number.") }
        return number
    }

    func run() throws { throw ExitCode(3) }
}

struct Group: AsyncParsableCommand {
    static let configuration = CommandConfiguration(subcommands: [Bare.self])
}

struct Bare: AsyncParsableCommand {
    @Argument var how: String
}

/// A program that runs one of its subcommands if none is named.
struct Defaulting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "defaulting", subcommands: [Serve.self, Bare.self], defaultSubcommand: Serve.self)
}

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Serve.")

    @OptionGroup var shared: Shared
}

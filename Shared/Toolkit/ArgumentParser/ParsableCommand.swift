/// Values that are read from a command line: properties that are an ``Option``, ``Argument``, ``Flag`` or ``OptionGroup``.
package protocol ParsableArguments {
    /// Values before the command line is read.
    init()

    /// Checks what a property can't check alone; called once everything is read.
    ///
    /// - Throws: ``ValidationError``.
    mutating func validate() throws
}

extension ParsableArguments {
    /// Accepts every value.
    package mutating func validate() throws {}
}

/// A program, or a part of it that has a name on the command line.
package protocol ParsableCommand: ParsableArguments, SendableMetatype {
    /// Its name, its help and its subcommands.
    static var configuration: CommandConfiguration { get }

    /// Does what it is for. Without an own implementation it shows its help.
    mutating func run() throws
}

extension ParsableCommand {
    /// No help texts and no subcommands.
    package static var configuration: CommandConfiguration { CommandConfiguration() }

    package mutating func run() throws { throw CommandError.help(CommandPath(Self.self)) }

    static var commandName: String { configuration.commandName ?? kebabCase("\(Self.self)") }
}

/// A command that awaits something.
package protocol AsyncParsableCommand: ParsableCommand {
    /// Does what it is for. Without an own implementation it shows its help.
    mutating func run() async throws
}

extension AsyncParsableCommand {
    package mutating func run() async throws { throw CommandError.help(CommandPath(Self.self)) }
}

/// What a command is called and how it is explained.
package struct CommandConfiguration: Sendable {
    /// What is typed; nil for the type's name, in lower case with hyphens.
    package var commandName: String?

    /// One line on what it does.
    package var abstract: String

    /// More lines, for its own help.
    package var discussion: String

    /// What may follow its name.
    package var subcommands: [any ParsableCommand.Type]

    /// The subcommand that runs if none is named.
    package var defaultSubcommand: (any ParsableCommand.Type)?

    /// What a command is called and how it is explained.
    package init(
        commandName: String? = nil, abstract: String = "", discussion: String = "",
        subcommands: [any ParsableCommand.Type] = [], defaultSubcommand: (any ParsableCommand.Type)? = nil
    ) {
        self.commandName = commandName
        self.abstract = abstract
        self.discussion = discussion
        self.subcommands = subcommands
        self.defaultSubcommand = defaultSubcommand
    }
}

/// A name of Swift as it is written on a command line: `firstPort` becomes `first-port`, `upstreamTLS` `upstream-tls`.
func kebabCase(_ name: String) -> String {
    var words = ""
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
        let startsWord =
            character.isUppercase && index > 0
            && (!characters[index - 1].isUppercase
                || (index + 1 < characters.count && characters[index + 1].isLowercase))
        if startsWord { words += "-" }
        words += character.lowercased()
    }
    return words
}

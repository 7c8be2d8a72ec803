/// The page that `--help` shows.
struct HelpPage {
    private let path: CommandPath
    private let all: [Definition]

    /// Where explanations begin, and where lines end.
    private static let (indentation, width) = (26, 80)

    init(_ path: CommandPath) {
        self.path = path
        all = definitions(of: path.command.init())
    }

    /// What may be typed, in one line.
    var usage: String {
        var words = [path.name]
        for definition in all {
            var word = definition.label
            if definition.isRepeated { word += " ..." }
            words.append(definition.isRequired ? word : "[\(word)]")
        }
        if !path.subcommands.isEmpty { words.append(all.isEmpty ? "<subcommand>" : "[<subcommand>]") }
        return words.joined(separator: " ")
    }

    var text: String {
        let configuration = path.command.configuration
        var sections: [String] = []
        if !configuration.abstract.isEmpty { sections.append(Self.wrapped("OVERVIEW: \(configuration.abstract)", 0)) }
        if !configuration.discussion.isEmpty { sections.append(Self.wrapped(configuration.discussion, 0)) }
        sections.append("USAGE: \(usage)")
        let arguments = all.filter { $0.kind == .positional }.map(Self.entry)
        if !arguments.isEmpty { sections.append("ARGUMENTS:\n" + arguments.joined(separator: "\n")) }
        let options = all.filter { $0.kind != .positional }.map(Self.entry)
        let version = path.isRoot ? [Self.entry("--version", "Show the versions of its libraries.")] : []
        let help = Self.entry("-h, --help", "Show help information.")
        sections.append("OPTIONS:\n" + (options + version + [help]).joined(separator: "\n"))
        if !path.subcommands.isEmpty {
            let entries = path.subcommands.map { subcommand in
                let isDefault = subcommand.name == path.defaultSubcommand?.name
                return Self.entry(
                    subcommand.command.commandName + (isDefault ? " (default)" : ""),
                    subcommand.command.configuration.abstract)
            }
            sections.append("SUBCOMMANDS:\n" + entries.joined(separator: "\n"))
            sections.append("  See '\(path.name) <subcommand> --help' for detailed information.")
        }
        return sections.joined(separator: "\n\n")
    }

    private static func entry(_ definition: Definition) -> String {
        var notes: [String] = []
        if !definition.allValues.isEmpty { notes.append("values: \(definition.allValues.joined(separator: ", "))") }
        if let text = definition.defaultText, !text.isEmpty { notes.append("default: \(text)") }
        let help = definition.help + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
        return entry(definition.label, help)
    }

    private static func entry(_ label: String, _ help: String) -> String {
        let start = "  \(label)"
        if help.isEmpty { return start }
        let lines = wrapped(help, indentation)
        if start.count >= indentation { return start + "\n" + lines }
        return start + lines.dropFirst(start.count)
    }

    /// Each line of a text in lines that fit, all of them indented.
    private static func wrapped(_ text: String, _ indentation: Int) -> String {
        let margin = String(repeating: " ", count: indentation)
        var lines: [String] = []
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = ""
            for word in paragraph.split(separator: " ") {
                if !line.isEmpty, indentation + line.count + 1 + word.count > width {
                    lines.append(margin + line)
                    line = ""
                }
                line += line.isEmpty ? String(word) : " \(word)"
            }
            lines.append(line.isEmpty ? "" : margin + line)
        }
        return lines.joined(separator: "\n")
    }
}

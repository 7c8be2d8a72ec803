/// A script with which a shell completes a program's subcommands and options.
struct CompletionScript {
    static let option = "--generate-completion-script"

    let text: String

    /// Nil for an unknown shell.
    init?(_ root: CommandPath, for shell: String) {
        switch shell {
        case "bash": text = Self.bash(root)
        // zsh runs bash's scripts (zshcompsys(1), "bashcompinit").
        case "zsh":
            text =
                "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" + Self.bash(root)
        case "fish": text = Self.fish(root)
        default: return nil
        }
    }

    private static func bash(_ root: CommandPath) -> String {
        let function = "_" + root.name.replacing("-", with: "_")
        var words = ""
        var values = ""
        for path in all(root) {
            let options = options(path)
            let choices =
                path.subcommands.map { $0.command.commandName } + options.map { "--\($0.name)" }
                + (path.isRoot ? ["--version", "--help"] : ["--help"])
            words += "    \"\(path.name)\") words=\"\(choices.joined(separator: " "))\" ;;\n"
            for option in options where !option.allValues.isEmpty {
                values += "    \"\(path.name) --\(option.name)\")"
                values += " words=\"\(option.allValues.joined(separator: " "))\" ;;\n"
            }
            for option in options where option.kind == .option && option.allValues.isEmpty {
                values += "    \"\(path.name) --\(option.name)\") words=\"\" ;;\n"
            }
        }
        return """
            # Completes \(root.name) in bash: source it, or put it into a folder of bash-completion.
            \(function)() {
                local command="\(root.name)" words="" i
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case "$command ${COMP_WORDS[i]}" in
            \(paths(root).map { "        \"\($0)\") command=\"\($0)\" ;;" }.joined(separator: "\n"))
                    esac
                done
                case "$command" in
            \(words)    esac
                case "$command ${COMP_WORDS[COMP_CWORD - 1]}" in
            \(values)    esac
                COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
            }
            complete -o default -F \(function) \(root.name)
            """
    }

    private static func fish(_ root: CommandPath) -> String {
        let function = "__" + root.name.replacing("-", with: "_") + "_at"
        var lines = ""
        for path in all(root) {
            let start = "complete -c \(root.name) -n '\(function) \"\(path.name)\"'"
            for subcommand in path.subcommands {
                let abstract = quoted(subcommand.command.configuration.abstract)
                lines += "\(start) -f -a \(subcommand.command.commandName) -d \(abstract)\n"
            }
            for option in options(path) {
                var line = "\(start) -l \(option.name) -d \(quoted(option.help))"
                if option.kind == .option { line += " -r" }
                if !option.allValues.isEmpty { line += " -f -a '\(option.allValues.joined(separator: " "))'" }
                lines += line + "\n"
            }
            if path.isRoot { lines += "\(start) -l version -d 'Show the versions of its libraries.'\n" }
            lines += "\(start) -l help -s h -d 'Show help information.'\n"
        }
        return """
            # Completes \(root.name) in fish: put it into ~/.config/fish/completions.
            function \(function)
                set -l command \(quoted(root.name))
                for word in (commandline -opc)[2..-1]
                    switch "$command $word"
            \(paths(root).map { "            case \(quoted($0))\n                set command \(quoted($0))" }
                .joined(separator: "\n"))
                    end
                end
                test "$command" = "$argv[1]"
            end
            \(lines)
            """
    }

    /// A path and all below it.
    private static func all(_ path: CommandPath) -> [CommandPath] {
        [path] + path.subcommands.flatMap(all)
    }

    /// The names of all paths below a path.
    private static func paths(_ root: CommandPath) -> [String] { all(root).dropFirst().map(\.name) }

    /// A command's options, those of its default subcommand among them.
    private static func options(_ path: CommandPath) -> [Definition] {
        let own = definitions(of: path.command.init()).filter { $0.kind != .positional }
        return own + (path.defaultSubcommand.map(options) ?? [])
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}

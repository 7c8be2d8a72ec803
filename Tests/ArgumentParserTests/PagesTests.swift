import Testing

@testable import ArgumentParser

struct PagesTests {
    private func page(_ arguments: String...) throws -> String {
        let error = #expect(throws: CommandError.self) { try Program.parseAsRoot(arguments) }
        #expect(error?.status == .success)
        return try #require(error?.text)
    }

    @Test("the help of a command")
    func command() throws {
        let expected = """
            OVERVIEW: Paint something.

            It takes a while, because paint has to dry, which nobody can hurry along however
            much they want it.

            USAGE: program paint <thing.zip> --colour <colour> [--coats <coats>] [--share <share>] [--set <set> ...] \
            [--brushes <brushes> ...] [--no-wait] [--config <file>]

            ARGUMENTS:
              <thing.zip>             What to paint.

            OPTIONS:
              --colour <colour>       Which colour. (values: red, green)
              --coats <coats>         How many coats. (default: 2)
              --share <share>         (default: 0.5)
              --set <set>             Changes.
              --brushes <brushes>     (values: red, green; default: red)
              --no-wait               Don't wait.
              --config <file>         A file.
              -h, --help              Show help information.
            """
        #expect(try page("paint", "--help") == expected)
        #expect(try page("paint", "wall", "--coats", "3", "-h") == expected)
        #expect(try page("help", "paint") == expected)
    }

    @Test("the help of a program lists its subcommands")
    func program() throws {
        let expected = """
            OVERVIEW: Does it.

            USAGE: program [--config <file>] [<subcommand>]

            OPTIONS:
              --config <file>         A file.
              --version               Show the versions of its libraries.
              -h, --help              Show help information.

            SUBCOMMANDS:
              paint                   Paint something.
              read
              group

              See 'program <subcommand> --help' for detailed information.
            """
        #expect(try page("--help") == expected)
        #expect(Program.helpMessage() == expected)
        #expect(Defaulting.helpMessage().contains("\n  serve (default)         Serve.\n"))
        #expect(throws: CommandError.help(CommandPath(Defaulting.self))) { try Defaulting.parseAsRoot(["--help"]) }
    }

    @Test("the version is what the program says, and asked for alone")
    func version() {
        #expect(throws: CommandError(text: "program 1", status: .success)) {
            try Program.parseAsRoot(["--version"], version: "program 1")
        }
        for arguments in [["--version", "paint"], ["paint", "--version"], ["--version=1"]] {
            let error = #expect(throws: CommandError.self) { try Program.parseAsRoot(arguments, version: "program 1") }
            #expect(error?.status == .validationFailure)
        }
    }

    @Test("a command that only has subcommands shows its help")
    func group() throws {
        #expect(try page("group").hasPrefix("USAGE: program group <subcommand>\n"))
    }

    @Test("a mistake shows what is expected, and where to read more")
    func mistake() throws {
        let error = #expect(throws: CommandError.self) { try Program.parseAsRoot(["group", "bare"]) }
        #expect(
            error?.text == """
                Error: Missing expected argument '<how>'
                Usage: program group bare <how>
                  See 'program group bare --help' for more information.
                """)
    }

    @Test("completion scripts are there for three shells")
    func completion() throws {
        for arguments in [["bash"], ["zsh"], ["fish"]] {
            let script = try page("--generate-completion-script", arguments[0])
            #expect(script == (try page("--generate-completion-script=\(arguments[0])")))
            #expect(script.contains("program group bare"))
        }
        let error = #expect(throws: CommandError.self) {
            try Program.parseAsRoot(["--generate-completion-script", "csh"])
        }
        #expect(error?.status == .validationFailure)
    }

    @Test("processes end with 0 for help and 64 for mistakes, and print to the right stream")
    func processes() async throws {
        let help = try await #require(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            do { _ = try Program.parseAsRoot(["--help"]) } catch { Program.exit(withError: error) }
        }
        #expect(String(decoding: help.standardOutputContent, as: UTF8.self).contains("OVERVIEW: Does it."))
        #expect(!String(decoding: help.standardErrorContent, as: UTF8.self).contains("OVERVIEW"))
        let mistake = try await #require(
            processExitsWith: .exitCode(64), observing: [\.standardErrorContent]
        ) {
            Program.exit(withError: ValidationError("No."))
        }
        #expect(String(decoding: mistake.standardErrorContent, as: UTF8.self).contains("Error: No.\nUsage: program"))
    }
}

extension CommandError: Equatable {
    static func == (left: Self, right: Self) -> Bool { left.text == right.text && left.status == right.status }
}

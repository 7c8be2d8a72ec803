import Testing

@testable import ArgumentParser

struct ParsingTests {
    private func paint(_ arguments: String...) throws -> Paint {
        try #require(try Program.parseAsRoot(["paint"] + arguments) as? Paint)
    }

    private func failure(_ arguments: String...) throws -> String {
        let error = #expect(throws: CommandError.self) { try Program.parseAsRoot(arguments) }
        #expect(error?.status == .validationFailure)
        return try #require(error?.text.split(separator: "\n").first.map(String.init))
    }

    @Test("options, flags, groups and arguments are read in any order and both spellings")
    func everything() throws {
        let command = try paint(
            "--colour=green", "--coats", "3", "wall", "--set", "a=b", "--no-wait", "--set=c=d", "--brushes", "green",
            "red", "--share", "-0.25", "--config", "file")
        #expect(command.thing == "wall")
        #expect(command.colour == .green)
        #expect(command.coats == 3)
        #expect(command.share == -0.25)
        #expect(command.changes.map(\.text) == ["a=b", "c=d"])
        #expect(command.brushes == [.green, .red])
        #expect(command.noWait)
        #expect(command.shared.configurationFile == "file")
    }

    @Test("what isn't given keeps its initial value, and the last of two counts")
    func initial() throws {
        let command = try paint("wall", "--colour", "red", "--colour", "green")
        #expect(command.colour == .green)
        #expect(command.coats == 2)
        #expect(command.changes.isEmpty)
        #expect(command.brushes == [.red])
        #expect(!command.noWait)
        #expect(command.shared.configurationFile == nil)
    }

    @Test("after two hyphens everything is a value")
    func terminator() throws {
        #expect(try paint("--colour", "red", "--", "--wall").thing == "--wall")
        #expect(try paint("--colour", "red", "-").thing == "-")
    }

    @Test("a property that is set belongs to its copy alone")
    func values() throws {
        let command = try paint("wall", "--colour", "red")
        var copy = command
        copy.coats = 9
        copy.shared.configurationFile = "file"
        #expect(command.coats == 2)
        #expect(copy.coats == 9)
        #expect(command.shared.configurationFile == nil)
        #expect(Shared(configurationFile: "other").configurationFile == "other")
    }

    @Test("functions read values; optional arguments may be missing")
    func transforms() throws {
        let one = try #require(try Program.parseAsRoot(["read", "7", "--key", "k"]) as? Read)
        #expect(one.secret == 7 && one.second == nil && one.third == nil && one.key == ["k"])
        let three = try #require(try Program.parseAsRoot(["read", "7", "8", "9", "--key", "k"]) as? Read)
        #expect(three.secret == 7 && three.second == 8 && three.third == "9")
    }

    @Test("a subcommand is found by its name, the default one without")
    func subcommands() throws {
        #expect(try Program.parseAsRoot([]) is Program)
        #expect(try (Program.parseAsRoot(["--config", "read"]) as? Program)?.shared.configurationFile == "read")
        #expect(try (Program.parseAsRoot(["group", "bare", "x"]) as? Bare)?.how == "x")
        #expect(try (Defaulting.parseAsRoot(["--config", "f"]) as? Serve)?.shared.configurationFile == "f")
        #expect(try Defaulting.parseAsRoot([]) is Serve)
        #expect(try Defaulting.parseAsRoot(["bare", "x"]) is Bare)
    }

    @Test("mistakes are told with the right spelling, and wrong values aren't repeated")
    func mistakes() throws {
        #expect(try failure("paint", "--colour", "red") == "Error: Missing expected argument '<thing.zip>'")
        #expect(try failure("paint", "wall") == "Error: Missing expected argument '--colour <colour>'")
        #expect(try failure("paint", "wall", "--colour") == "Error: Missing value for '--colour <colour>'")
        #expect(try failure("paint", "wall", "--colour", "--no-wait") == "Error: Missing value for '--colour <colour>'")
        #expect(
            try failure("paint", "wall", "--colour", "hunter2")
                == "Error: The value of '--colour <colour>' is invalid; it must be one of: red, green.")
        #expect(
            try failure("paint", "wall", "--coats", "hunter2")
                == "Error: The value of '--coats <coats>' is invalid.")
        #expect(try failure("read", "hunter2") == "Error: The value of '<secret>' is invalid: It is no number.")
        #expect(try failure("read", "1", "--key", "k", "2", "3", "hunter2") == "Error: Unexpected argument.")
        #expect(try failure("hunter2") == "Error: Unexpected argument.")
        #expect(try failure("paint", "--couleur", "x") == "Error: Unknown option '--couleur'")
        #expect(try failure("paint", "--couleur=hunter2") == "Error: Unknown option '--couleur'")
        #expect(try failure("paint", "--hunter2") == "Error: Unknown option.")
        #expect(try failure("paint", "-hunter2") == "Error: Unknown option.")
        #expect(try failure("paint", "--no-wait=yes") == "Error: '--no-wait' takes no value.")
        #expect(try failure("read", "1") == "Error: Missing expected argument '--key <key>'")
        #expect(
            try failure("paint", "wall", "--colour", "red", "--coats", "0") == "Error: --coats must be 1 or more.")
    }

    @Test("an error has the status that ends the process")
    func statuses() {
        #expect(Program.exitCode(for: ExitCode(3)) == ExitCode(3))
        #expect(Program.exitCode(for: ValidationError("no")) == .validationFailure)
        #expect(Program.exitCode(for: CancellationError()) == .failure)
        #expect(ExitCode.validationFailure.rawValue == 64)
    }

    @Test("names of Swift become names of a command line")
    func names() {
        #expect(kebabCase("firstPort") == "first-port")
        #expect(kebabCase("upstreamTLS") == "upstream-tls")
        #expect(kebabCase("TANReservationLoad") == "tan-reservation-load")
        #expect(kebabCase("sampleOneIn") == "sample-one-in")
    }
}

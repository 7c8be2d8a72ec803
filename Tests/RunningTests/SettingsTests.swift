import FoundationEssentials
import Running
import Testing

@Suite struct SettingsTests {
    /// Writes a configuration file for as long as the body takes.
    private func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    @Test("a JSON file's nested keys are dotted, and its numbers, flags and lists are read")
    func file() throws {
        let text = """
            {"app": {"port": 8010, "fast": true, "share": 0.5, "names": ["a", "b"]}, "tls.key": "k", "empty": ""}
            """
        try withFile(text) { path in
            let settings = try Settings(file: path)
            #expect(try settings.port("app.port") == 8010)
            #expect(try settings.string("app.fast") == "true")
            #expect(try settings.duration("app.share") == .milliseconds(500))
            #expect(settings.list("app.names") == ["a", "b"])
            #expect(try settings.string("tls.key") == "k")
            #expect(settings.optionalString("empty") == nil)
        }
    }

    @Test("keys of the file that nothing reads are known")
    func unused() throws {
        try withFile(#"{"app": {"port": 1, "prot": 2}}"#) { path in
            let settings = try Settings(file: path)
            _ = try settings.port("app.port")
            #expect(settings.unusedKeys == ["app.prot"])
        }
    }

    @Test("the environment wins over the file")
    func environment() throws {
        // PATH is set in every environment.
        try withFile(#"{"path": "from the file"}"#) { path in
            let settings = try Settings(file: path)
            #expect(try settings.string("path") != "from the file")
        }
    }

    @Test(
        "a file that is no configuration is told in one sentence",
        arguments: [
            ("{", "is not valid JSON, or an object has a name twice."),
            (#"{"app": {"port": 1, "port": 2}}"#, "is not valid JSON, or an object has a name twice."),
            ("[1]", "must hold one JSON object."),
            (#"{"a": [{"b": 1}]}"#, "must be a list of plain values."),
        ])
    func brokenFile(text: String, end: String) throws {
        try withFile(text) { path in
            let error = #expect(throws: ConfigurationProblem.self) { try Settings(file: path) }
            #expect(error?.description.hasSuffix(end) == true)
        }
        #expect(throws: ConfigurationProblem("The configuration file /nowhere can't be read; check --config.")) {
            try Settings(file: "/nowhere")
        }
    }

    @Test("a missing value is told with its key and its environment variable")
    func missing() {
        #expect(
            throws: ConfigurationProblem(
                "app.maximumLoad is not set; set it in the configuration file or as APP_MAXIMUM_LOAD.")
        ) {
            try Settings([:]).int("app.maximumLoad", in: 1...2)
        }
    }

    @Test("a number must be in its range", arguments: ["0", "11", "x", "1.5", " 3", "99999999999999999999"])
    func numbers(text: String) {
        let settings = Settings(["a": text])
        #expect(
            throws: ConfigurationProblem(
                "a must be a whole number from 1 to 10; correct it in the configuration file or in A.")
        ) { try settings.int("a", in: 1...10) }
    }

    @Test("a duration must be finite and in its range", arguments: ["-1", "61", "inf", "nan", "1e300", "s"])
    func durations(text: String) {
        #expect(throws: ConfigurationProblem.self) {
            try Settings(["a": text]).duration("a", in: .zero ... .seconds(60))
        }
    }

    @Test("defaults count when nothing is set")
    func defaults() throws {
        let settings = Settings([:])
        #expect(try settings.int("a", default: 3, in: 1...10) == 3)
        #expect(try settings.duration("a", default: .seconds(2)) == .seconds(2))
        #expect(try settings.url("a", default: "https://localhost:1/") == "https://localhost:1")
        #expect(settings.string("a", default: "b") == "b")
        #expect(settings.list("a").isEmpty)
    }

    @Test("what is no URL is refused", arguments: ["localhost:80", "ftp://a", "https://", "https:///x", "a b"])
    func urls(text: String) {
        #expect(throws: ConfigurationProblem.self) { try Settings(["a": text]).url("a") }
    }

    @Test("a secret is read from the file that its key names")
    func secret() throws {
        try withFile("00ff10Ab\n") { path in
            let secret = try Settings(["key": path]).secretFile("key", byteCount: 4)
            #expect(secret == [0x00, 0xFF, 0x10, 0xAB])
        }
    }

    @Test("a file with another secret is refused, and not quoted", arguments: ["00ff10a", "00ff10", "00ff10xx", ""])
    func wrongSecret(text: String) throws {
        try withFile(text) { path in
            let error = #expect(throws: ConfigurationProblem.self) {
                try Settings(["key": path]).secretFile("key", byteCount: 4)
            }
            #expect(error?.description.contains("8 hexadecimal digits") == true)
            #expect(text.isEmpty || error?.description.contains(text) == false)
        }
    }

    @Test("a path must exist")
    func paths() {
        #expect(throws: ConfigurationProblem.self) { try Settings(["a": "/nowhere/at/all"]).path("a") }
    }
}

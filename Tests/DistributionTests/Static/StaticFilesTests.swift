import ExposureFormat
import ExposureKeys
import Foundation
import TestSupport
import Testing

@testable import Distribution

@Suite(.timeLimit(.minutes(5))) struct StaticFilesTests {
    /// The folder that comes with the suite.
    private static let shipped = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "deploy/static")

    private static let statistics = #"{"cardIdSequence": [1, 2]}"#
    /// As protobuf encodes it: field 1, two packed integers.
    private static let encodedStatistics: [UInt8] = [0x0A, 2, 1, 2]

    /// A folder with some files, for the length of a test.
    private func folder(_ files: [String: String], _ body: (URL) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for (name, content) in files { try write(Data(content.utf8), to: root.appending(path: name)) }
        try body(root)
    }

    private func write(_ content: Data, to url: URL) throws {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try content.write(to: url)
    }

    @Test("all files in deploy/static are published")
    func shipped() throws {
        let files = try StaticFiles(in: Self.shipped, of: "DE")
        #expect(files.problems.isEmpty)
        #expect(files.archives.count == 30)
        #expect(files.archives.map(\.path) == files.archives.map(\.path).sorted())
        #expect(files.archives.allSatisfy { $0.content != nil })
        // What has no content on purpose is empty, or an empty list.
        let empty = files.archives.filter { $0.export.count <= 1 }.map(\.path)
        #expect(empty.count == 23 && empty.contains("version/v1/stats") && empty.contains("version/v1/ccl/config-v3"))
        // Their order and bytes are the same in every run.
        #expect(try StaticFiles(in: Self.shipped, of: "DE") == files)
    }

    @Test("a unit that is twice in local figures is published, with a note for the operator")
    func repeatedUnit() throws {
        let unit = #"{"administrativeUnitShortId": 16056}"#
        let file = "version/v1/local_stats_6.json"
        try folder([file: #"{"administrativeUnitData": [\#(unit), \#(unit)]}"#]) { root in
            let files = try StaticFiles(in: root, of: "DE")
            #expect(files.problems.isEmpty)
            #expect(files.archives.map(\.path) == ["version/v1/local_stats_6"])
            let note =
                "administrativeUnitData.administrativeUnitShortId has 16056 more than once: iPhones show the first of them."
            #expect(files.notices == [StaticFileProblem(file: file, note)])
            let lines = CheckCommand.report(files)
            #expect(lines.dropFirst() == ["\(file): note: \(note)", "1 to be published, 0 left out"])
            let refused = RefusedFiles()
            refused.set(files.problems, notices: files.notices)
            #expect(refused.warnings == ["The static file \(file) is published, but look at it: \(note)"])
        }
    }

    @Test("a .json file becomes the message of its path, a .bin file stays unchanged, in the order of paths")
    func forms() throws {
        let given = [
            "version/v1/stats.json": Self.statistics, "version/v1/.dscs.bin": "",
            "version/v1/dcc-rl/0a1b.bin": "a list", "version/v1/dcc-rl/0a1b/2/c/chunk.bin": "a chunk",
            "version/v1/ehn-dgc/onboarded-countries.json": #"["DE"]"#, "version/v1/a.b_c-D.bin": "odd",
        ]
        try folder(given) { root in
            let files = try StaticFiles(in: root, of: "DE")
            #expect(files.problems.isEmpty)
            #expect(
                files.archives.map(\.path) == [
                    "version/v1/a.b_c-D", "version/v1/dcc-rl/0a1b", "version/v1/dcc-rl/0a1b/2/c/chunk",
                    "version/v1/ehn-dgc/onboarded-countries", "version/v1/stats",
                ])
            #expect(files.archives.last?.content == "Statistics")
            #expect(files.archives[3].content == "onboarded countries")
            #expect(files.archives[3].export == [0x81, 0x62] + Array("DE".utf8))
            #expect(files.archives.last?.export == Self.encodedStatistics)
            #expect(files.archives.last?.file == "version/v1/stats.json")
            #expect(files.archives.first?.content == nil)
            #expect(files.archives.first?.export == Array("odd".utf8))
        }
    }

    @Test("ORIGIN stands for the country, as a part of a path and as a text in JSON")
    func origin() throws {
        let given = [
            "version/v1/configuration/country/ORIGIN/a.bin": "ORIGIN",
            "version/v1/ehn-dgc/onboarded-countries.json": #"["ORIGIN"]"#,
            "version/v1/ORIGINAL.bin": "another name", "version/v1/configuration/country/DE/a.bin": "of one country",
        ]
        try folder(given) { root in
            let files = try StaticFiles(in: root, of: "PL")
            #expect(files.archives.map(\.path).contains("version/v1/configuration/country/PL/a"))
            #expect(files.archives.map(\.path).contains("version/v1/configuration/country/DE/a"))
            #expect(files.archives.map(\.path).contains("version/v1/ORIGINAL"))
            let exports = Dictionary(uniqueKeysWithValues: files.archives.map { ($0.path, $0.export) })
            #expect(exports["version/v1/ehn-dgc/onboarded-countries"] == [0x81, 0x62] + Array("PL".utf8))
            // Bytes stay.
            #expect(exports["version/v1/configuration/country/PL/a"] == Array("ORIGIN".utf8))
            // In a folder with one for all countries and one for this one, neither is published.
            #expect(try StaticFiles(in: root, of: "DE").problems.count == 2)
        }
        let polish = try StaticFiles(in: Self.shipped, of: "PL")
        #expect(polish.problems.isEmpty)
        let first = try #require(
            polish.archives.first { $0.path == "version/v1/configuration/country/PL/app_config" })
        #expect(first.export.contains("PL".utf8) && !first.export.contains("DE".utf8))
    }

    @Test("notes, hidden files and hidden folders are skipped")
    func ignored() throws {
        let given = [
            "README.md": "", "version/v1/notes.md": "", ".hidden": "", "version/v1/.stats.json.swp": "",
            "..data/version/v1/stats.json": "{}", "version/.old/v1/x.txt": "",
        ]
        try folder(given) { root in
            let files = try StaticFiles(in: root, of: "DE")
            #expect(files.archives.isEmpty && files.problems.isEmpty)
        }
    }

    static let refused: [(String, String, String)] = [
        ("version/v1/stats.txt", "x", "The name must end in .json or .bin."),
        ("version/v1/stats", "x", "The name must end in .json or .bin."),
        ("version/v1/stats.JSON", "{}", "The name must end in .json or .bin."),
        (
            "version/v1/my file.bin", "x",
            "Names may have the characters A-Z, a-z, 0-9, dot, underscore and hyphen only."
        ),
        (
            "version/v1/ä.bin", "x",
            "Names may have the characters A-Z, a-z, 0-9, dot, underscore and hyphen only."
        ),
        (
            "version/v1/%2e%2e.bin", "x",
            "Names may have the characters A-Z, a-z, 0-9, dot, underscore and hyphen only."
        ),
        (
            "version/v1/a\nb.bin", "x",
            "Names may have the characters A-Z, a-z, 0-9, dot, underscore and hyphen only."
        ),
        ("stats.json", "{}", "The file must lie below version/v1 or version/v2."),
        ("version/v1.bin", "x", "The file must lie below version/v1 or version/v2."),
        ("version/v3/stats.bin", "x", "The file must lie below version/v1 or version/v2."),
        ("version/index-v2.bin", "x", "The file must lie below version/v1 or version/v2."),
        (
            "version/v1/diagnosis-keys/country/DE/date.bin", "x",
            "Everything below diagnosis-keys is made from folded keys and reports."
        ),
        (
            "version/v1/diagnosis-keys.bin", "x",
            "Everything below diagnosis-keys is made from folded keys and reports."
        ),
        (
            "version/v2/twp/country/DE/hour/1.bin", "x",
            "Everything below twp is made from folded keys and reports."
        ),
        (
            "version/v1/configuration/country.bin", "x",
            "This is the path of an index, which distribution writes itself."
        ),
        ("version/v1/configuration.bin", "x", "This is the path of an index, which distribution writes itself."),
        ("version/v1/dcc-rl/index.bin", "x", "This is the path of an index, which distribution writes itself."),
        ("version/v1/index/x.bin", "x", "This is the path of an index, which distribution writes itself."),
        (
            "version/v2/stats.json", "{}",
            "No message is known for this path; put the bytes to sign into a .bin file."
        ),
        ("version/v1/stats.json", #"{"card": 1}"#, "card is not a field of this message (line 1)."),
        ("version/v1/stats.json", "", "The file is empty."),
        ("version/v1/ehn-dgc/dscs.bin", "", "The file is empty."),
        ("version/v1/stats.bin", "no message", "The bytes are not the message that this path carries."),
    ]

    @Test(
        "a file that can't be published is reported with the reason, and the others are published", arguments: refused)
    func problems(file: String, content: String, reason: String) throws {
        try folder([file: content, "version/v1/local_stats_1.json": "{}", "version/v1/other.bin": "x"]) { root in
            let files = try StaticFiles(in: root, of: "DE")
            let shown = file.replacing("\n", with: "?").replacing("ä", with: "?")
            #expect(files.problems == [StaticFileProblem(file: shown, reason)])
            #expect(files.archives.map(\.path) == ["version/v1/local_stats_1", "version/v1/other"])
        }
    }

    @Test(
        "a configuration that rates other levels than are published is refused, and says which", arguments: [1, 3, 5])
    func levels(lowest: Int) throws {
        let level = try #require(TransmissionRiskLevel(rawValue: lowest))
        let files = try StaticFiles(in: Self.shipped, publishingFrom: level, of: "DE")
        guard lowest != 3 else { return #expect(files.problems.isEmpty) }
        #expect(
            files.problems.map(\.file) == [
                "version/v1/app_config_android.json", "version/v1/app_config_ios.json",
                "version/v2/app_config_android.json", "version/v2/app_config_ios.json",
            ])
        let rule = "riskCalculationParameters.transmissionRiskValueMapping gives level"
        let reasons =
            lowest == 1
            ? (1...2).map { "\(rule) \($0) no risk, but keys of level 1 and above are published (lowestRiskLevel)." }
            : (3...4).map {
                "\(rule) \($0) a risk, but only keys of level 5 and above are published (lowestRiskLevel)."
            }
        #expect(files.problems.last?.reasons == reasons)
    }

    @Test("a configuration that decodes a published level as another, or drops it, is refused")
    func decoding() throws {
        let path = "version/v2/app_config_ios.json"
        let text = try String(contentsOf: Self.shipped.appending(path: path), encoding: .utf8)
        let risk = "riskCalculationParameters"
        let changes = [
            (
                #""reportTypeOffsetConfirmedTest": 6"#, #""reportTypeOffsetConfirmedTest": 5"#,
                "\(risk).trlEncoding reads level 7 as 6, which is published otherwise."
            ),
            (
                #""trlFilters": []"#,
                #""trlFilters": [{"dropIfTrlInRange": {"min": 3, "max": 4, "maxExclusive": true}}]"#,
                "\(risk).trlFilters drops level 3, but keys of level 3 and above are published (lowestRiskLevel)."
            ),
        ]
        for (old, new, reason) in changes {
            try #require(text.contains(old))
            try folder([path: text.replacing(old, with: new)]) { root in
                let found = try StaticFiles(in: root, of: "DE").problems.first
                #expect(found?.reasons.first == reason)
            }
        }
    }

    @Test("two files for one path are both refused")
    func rivals() throws {
        try folder(["version/v1/stats.json": "{}", "version/v1/stats.bin": "\n\u{2}\u{1}\u{2}"]) { root in
            let files = try StaticFiles(in: root, of: "DE")
            #expect(files.archives.isEmpty)
            #expect(files.problems.map(\.file) == ["version/v1/stats.bin", "version/v1/stats.json"])
            #expect(
                files.problems.allSatisfy {
                    $0.reasons == ["Another file is for the same path, version/v1/stats."]
                })
        }
    }

    @Test("the largest .bin is published, one byte more is not")
    func sizes() throws {
        try folder([:]) { root in
            let largest = Data(repeating: 7, count: StaticFiles.maximumBytes)
            try write(largest, to: root.appending(path: "version/v1/largest.bin"))
            try write(largest + [7], to: root.appending(path: "version/v1/larger.bin"))
            try write(
                Data(repeating: 0x20, count: StaticFiles.maximumJSONBytes + 1),
                to: root.appending(path: "version/v1/stats.json"))
            let files = try StaticFiles(in: root, of: "DE")
            #expect(files.archives.map(\.export.count) == [StaticFiles.maximumBytes])
            #expect(
                files.problems == [
                    StaticFileProblem(file: "version/v1/larger.bin", "The file has more than 33554432 bytes."),
                    StaticFileProblem(file: "version/v1/stats.json", "The file has more than 4194304 bytes."),
                ])
        }
    }

    @Test("a link to a file is followed; a link to a folder, a broken link and a pipe are reported without waiting")
    func links() throws {
        try folder(["..data/stats.json": Self.statistics, "version/v1/x.bin": "x"]) { root in
            let manager = FileManager.default
            func link(_ name: String, to target: String) throws {
                try manager.createSymbolicLink(
                    atPath: root.appending(path: "version/v1/\(name)").path, withDestinationPath: target)
            }
            try link("stats.json", to: "../../..data/stats.json")
            try link("loop", to: "..")
            try link("broken.bin", to: "nowhere")
            try link("self.bin", to: "self.bin")
            #expect(mkfifo(root.appending(path: "version/v1/pipe.bin").path, 0o600) == 0)
            let files = try StaticFiles(in: root, of: "DE")
            #expect(files.archives.map(\.path) == ["version/v1/stats", "version/v1/x"])
            #expect(files.archives.first?.export == Self.encodedStatistics)
            #expect(
                files.problems.map(\.file) == [
                    "version/v1/broken.bin", "version/v1/loop", "version/v1/pipe.bin", "version/v1/self.bin",
                ])
        }
    }

    @Test("a folder that is nested too deeply is reported")
    func depth() throws {
        let deep = (1...20).map { "\($0)" }.joined(separator: "/")
        try folder(["version/v1/\(deep)/x.bin": "x", "version/v1/y.bin": "y"]) { root in
            let files = try StaticFiles(in: root, of: "DE")
            #expect(files.archives.map(\.path) == ["version/v1/y"])
            #expect(files.problems.map(\.reasons) == [["The folder is nested too deeply."]])
        }
    }

    @Test("a missing folder is an error of the whole run")
    func noFolder() throws {
        try folder([:]) { root in
            let nowhere = root.appending(path: "nowhere")
            let problem = #expect(throws: StaticFiles.FolderProblem.self) { try StaticFiles(in: nowhere, of: "DE") }
            #expect(problem?.description == "The folder \(nowhere.path) of static files can't be read.")
        }
    }

    // MARK: - distribution check

    private func check(_ folder: URL) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: try BuiltProgram.path("distribution"))
        process.arguments = ["check", folder.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.start()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test("distribution check says what each file becomes, and ends with 0")
    func checkShipped() throws {
        let (status, output) = try check(Self.shipped)
        #expect(status == 0)
        let lines = output.split(separator: "\n")
        #expect(lines.count == 31)
        #expect(lines.first?.hasPrefix("version/v1/app_config_android.json") == true)
        #expect(lines.first?.contains("  ApplicationConfigurationAndroid  ") == true)
        #expect(lines.allSatisfy { $0.hasSuffix(" bytes") || $0 == lines.last })
        #expect(lines.last == "30 to be published, 0 left out")
    }

    @Test("distribution check says what is wrong with which file, and ends with 1")
    func checkProblems() throws {
        try folder(["version/v1/stats.json": #"{"a": 1, "b": 2}"#, "version/v1/x.bin": "123"]) { root in
            let (status, output) = try check(root)
            #expect(status == 1)
            #expect(
                output == """
                    version/v1/x.bin  unchanged bytes  3 bytes
                    version/v1/stats.json: a is not a field of this message (line 1).
                    version/v1/stats.json: b is not a field of this message (line 1).
                    1 to be published, 1 left out

                    """)
            let (missing, complaint) = try check(root.appending(path: "nowhere"))
            #expect(missing == 1)
            #expect(complaint.hasPrefix("distribution: The folder "))
        }
    }
}

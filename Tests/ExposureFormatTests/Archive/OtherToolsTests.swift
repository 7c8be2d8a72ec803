import ExposureFormat
import Foundation
import TestSupport
import Testing

/// Archives read by other tools. A test is skipped if its tool isn't installed.
@Suite("Other tools agree", .heavy)
struct OtherToolsTests {
    private let export: [UInt8]
    private let signature: [UInt8]
    private let zip: [UInt8]

    init() throws {
        zip = try Fixtures.zipped(Fixtures.export(Fixtures.keys(1000, seed: 42)))
        let archive = try SignedArchive.read(zip)
        export = archive.export
        signature = try #require(archive.signatures.first).bytes
    }

    @Test("unzip finds no error", .enabled(if: Tool.exists("unzip")))
    func unzip() throws {
        try Scratch.with(["export.zip": zip]) { folder in
            let result = try Tool.run("unzip", ["-t", folder.appending(path: "export.zip").path])
            #expect(result.status == 0)
            #expect(result.text.contains("No errors detected"))
        }
    }

    @Test("Python's zipfile finds the same entries with the same content", .enabled(if: Tool.exists("python3")))
    func python() throws {
        let program = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            assert z.testzip() is None
            assert z.namelist() == ["export.bin", "export.sig"], z.namelist()
            assert all(i.date_time == (1980, 1, 1, 0, 0, 0) and not i.extra and not i.comment for i in z.infolist())
            assert z.read("export.bin") == open(sys.argv[2], "rb").read()
            """
        try Scratch.with(["export.zip": zip, "export.bin": export]) { folder in
            let result = try Tool.run(
                "python3",
                ["-c", program, folder.appending(path: "export.zip").path, folder.appending(path: "export.bin").path])
            #expect(result.status == 0, "\(result.text)")
        }
    }

    @Test("libarchive reads the same bytes", .enabled(if: Tool.exists("bsdtar")))
    func libarchive() throws {
        try Scratch.with(["export.zip": zip]) { folder in
            let result = try Tool.run("bsdtar", ["-xOf", folder.appending(path: "export.zip").path, "export.bin"])
            #expect(result.status == 0)
            let isSame = result.output == export
            #expect(isSame)
        }
    }

    /// Programs that check an archive's integrity.
    private static let judges: [(name: String, arguments: [String])] = [
        ("unzip", ["-tqq"]), ("bsdtar", ["-xOf"]),
        (
            "python3",
            ["-c", "import sys, zipfile; sys.exit(zipfile.ZipFile(sys.argv[1]).testzip() is not None)"]
        ),
    ]

    @Test(
        "damaged archives are refused, and crash no other tool",
        .enabled(if: judges.allSatisfy { Tool.exists($0.name) }))
    func damaged() throws {
        var random = SeededGenerator(seed: 5)
        // In the compressed keys.
        let middle = 400..<zip.count - 1000
        var damaged: [String: [UInt8]] = [:]
        for number in 0..<20 {
            var bytes = zip
            if number < 16 {
                bytes[Int.random(in: middle, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            } else {
                let start = Int.random(in: middle, using: &random)
                bytes.replaceSubrange(
                    start..<start + 200, with: (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) })
            }
            damaged["\(number).zip"] = bytes
        }
        try Scratch.with(damaged.merging(["whole.zip": zip]) { $1 }) { folder in
            for judge in Self.judges {
                func status(_ name: String) throws -> Int32 {
                    try Tool.run(judge.name, judge.arguments + [folder.appending(path: name).path]).status
                }
                #expect(try status("whole.zip") == 0, "\(judge.name)")
                for name in damaged.keys {
                    let status = try status(name)
                    #expect((1..<128).contains(status), "\(judge.name), \(name): \(status)")
                }
            }
            for (name, bytes) in damaged {
                #expect(throws: ArchiveDamage.self, "\(name)") { try SignedArchive.read(bytes) }
            }
        }
    }

    @Test("archives by Python's zipfile can be read", .enabled(if: Tool.exists("python3")))
    func pythonWrites() throws {
        let program = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1] + "/made.zip", "w", zipfile.ZIP_DEFLATED) as z:
                z.write(sys.argv[2], "export.bin")
                z.write(sys.argv[3], "export.sig")
            """
        try Scratch.with([:]) { folder in
            let result = try Tool.run(
                "python3", ["-c", program, folder.path, Fixtures.path("golden.bin"), Fixtures.path("golden.sig")])
            #expect(result.status == 0, "\(result.text)")
            let read = try ExportArchive.read(Array(try Data(contentsOf: folder.appending(path: "made.zip"))))
            #expect(try read.archive.export == Fixtures.bytes("golden.bin"))
            #expect(try read.verify([Fixtures.verificationKey()]).map(\.outcome) == [.matches])
        }
    }

    @Test("openssl verifies the signature over all of export.bin", .enabled(if: Tool.exists("openssl")))
    func openssl() throws {
        let files = ["export.bin": export, "signature.der": signature, "changed.bin": export + [0]]
        try Scratch.with(files) { folder in
            func verify(_ name: String) throws -> Tool.Result {
                try Tool.run(
                    "openssl",
                    [
                        "dgst", "-sha256", "-verify", Fixtures.path("public-key.pem"), "-signature",
                        folder.appending(path: "signature.der").path, folder.appending(path: name).path,
                    ])
            }
            let good = try verify("export.bin")
            #expect(good.status == 0, "\(good.text)")
            #expect(try verify("changed.bin").status != 0)
        }
    }

    @Test("protoc reads the golden export as the text it was made from", .enabled(if: Tool.exists("protoc")))
    func protocDecodes() throws {
        let bytes = try Fixtures.encoded(Fixtures.export(Fixtures.goldenKeys()))
        try Scratch.with(["message": Array(bytes.dropFirst(16))]) { folder in
            let schemas = Fixtures.protobuf(of: "ExposureFormat").appending(path: "protos").path
            let arguments = ["-I", schemas, "export.proto"]
            let message = "vigil.exposure.TemporaryExposureKeyExport"
            let decoded = try Tool.run(
                "protoc", arguments + ["--decode", message], input: folder.appending(path: "message").path)
            #expect(decoded.status == 0, "\(decoded.text)")
            // The text is encoded again, because protoc has several ways to write the same bytes.
            let encoded = try Tool.run(
                "protoc", arguments + ["--encode", message], input: Fixtures.path("golden.textproto"))
            #expect(encoded.output == Array(bytes.dropFirst(16)))
            #expect(decoded.text.components(separatedBy: "keys {").count == 9)
            #expect(decoded.text.contains("region: \"DE\""))
            #expect(decoded.text.contains("report_type: CONFIRMED_CLINICAL_DIAGNOSIS"))
        }
    }
}

/// Programs that may be installed.
enum Tool {
    struct Result {
        let status: Int32
        let output: [UInt8]
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    static func exists(_ name: String) -> Bool { find(name) != nil }

    private static func find(_ name: String) -> URL? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Runs a program and returns its output and errors together.
    static func run(_ name: String, _ arguments: [String], input: String? = nil) throws -> Result {
        let process = Process()
        let program: URL = try #require(find(name))
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = input.flatMap { FileHandle(forReadingAtPath: $0) } ?? FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.start()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: Array(output))
    }
}

/// A folder for the length of one test.
enum Scratch {
    static func with(_ files: [String: [UInt8]], _ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "exposure-format-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, content) in files { try Data(content).write(to: folder.appending(path: name)) }
        try body(folder)
    }
}

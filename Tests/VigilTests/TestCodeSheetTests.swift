import Credentials
import Foundation
import Phone
import TestSupport
import Testing

/// Runs the command as an operator does, and reads the sheets with the programs of others: poppler renders them, zbar reads the codes.
@Suite("vigil test-codes", .timeLimit(.minutes(5)))
struct TestCodeSheetTests {
    @Test("each code on the sheets is read by a scanner, is a PCR test's, and has its GUID below it")
    func scanned() async throws {
        try await withScratchFolder { folder in
            // Two full sheets and a part of a third.
            let sheets = try Self.vigil(["test-codes", "--count", "29"], in: folder)
            #expect(sheets.status == 0)
            let pdf = "\(folder)/sheets.pdf"
            try sheets.output.write(to: URL(filePath: pdf))

            // Each label by itself, as a scanner sees it: of several codes in one picture zbar may overlook one.
            for label in 0..<29 {
                let place = label % 12
                try Self.run(
                    "/usr/bin/pdftoppm",
                    [
                        "-r", "200", "-gray", "-png", "-singlefile", "-f", "\(label / 12 + 1)", "-l",
                        "\(label / 12 + 1)",
                        "-x", "\(79 + place % 3 * 499)", "-y", "\(79 + place / 3 * 545)", "-W", "499", "-H", "545", pdf,
                        "\(folder)/label-\(label)",
                    ], in: folder)
            }
            let labels = (0..<29).map { "\(folder)/label-\($0).png" }
            let codes = try Self.run(
                "/usr/bin/zbarimg", ["--quiet", "--raw", "-Sdisable", "-Sqrcode.enable"] + labels, in: folder
            ).lines
            #expect(codes.count == 29)
            #expect(Set(codes).count == 29)

            // pdftotext joins lines that end with a hyphen.
            let printed = try Self.run("/usr/bin/pdftotext", ["-raw", pdf, "-"], in: folder).lines.joined()
                .replacing("-", with: "")
            for code in codes {
                #expect(TestCode(scanned: code)?.family == .pcr)
                let guid = code.dropFirst("https://localhost/?".count).replacing("-", with: "")
                #expect(printed.contains(guid))
            }
        }
    }

    @Test("the codes are on the sheets and nowhere else: nothing is written beside them, and nothing said")
    func leavesNothing() async throws {
        try await withScratchFolder { folder in
            let first = try Self.vigil(["test-codes", "--count", "3"], in: folder)
            let second = try Self.vigil(["test-codes", "--count", "3"], in: folder)
            #expect(first.status == 0 && second.status == 0)
            #expect(first.output != second.output)
            #expect(first.complaint.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            // The finder works: a command that keeps something is found by it.
            _ = try Self.vigil(["keys", "signing"], in: folder)
            #expect(try !FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test("a number of codes that makes no sense is refused", arguments: ["0", "-1", "10001", "many"])
    func refused(count: String) async throws {
        try await withScratchFolder { folder in
            let refusal = try Self.vigil(["test-codes", "--count", count], in: folder)
            #expect(refusal.status == 64)
            #expect(refusal.output.isEmpty)
        }
    }

    // MARK: Programs

    private struct Outcome {
        let output: Data
        let complaint: Data
        let status: Int32

        var lines: [String] { String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init) }
    }

    private static func vigil(_ arguments: [String], in folder: String) throws -> Outcome {
        try outcome(of: try BuiltProgram.path("vigil"), arguments, in: folder)
    }

    @discardableResult
    private static func run(_ program: String, _ arguments: [String], in folder: String) throws -> Outcome {
        let outcome = try outcome(of: program, arguments, in: folder)
        #expect(outcome.status == 0, "\(program): \(String(decoding: outcome.complaint, as: UTF8.self))")
        return outcome
    }

    /// Runs a program whose working, home and temporary folders are one, to its end.
    private static func outcome(of program: String, _ arguments: [String], in folder: String) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder]
        process.standardInput = FileHandle.nullDevice
        let (output, complaint) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaint
        try process.start()
        // What it complains of is short, and fits into the pipe.
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        let complained = try complaint.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(output: said, complaint: complained, status: process.terminationStatus)
    }
}

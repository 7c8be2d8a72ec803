import ArgumentParser
import Credentials
import FoundationEssentials
import Glibc

/// `vigil test-codes`: makes new test codes and writes the sheets to print them on to standard output, and nowhere else.
struct TestCodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-codes",
        abstract: "Make new test codes, and write sheets to print them on (PDF, A4) to standard output.",
        discussion: """
            Send the document to a printer or to a file: `vigil test-codes --count 24 > sheets.pdf`. Nothing else keeps the codes: \
            they are in no database, no log and no temporary file. Whoever reads a code before it is used can register the test: \
            delete the file when it is printed.
            """)

    @Option(help: "How many codes, from 1 to 10000; a sheet has twelve.")
    var count: Int

    func validate() throws {
        guard (1...10_000).contains(count) else { throw ValidationError("--count must be from 1 to 10000.") }
    }

    func run() async throws {
        guard isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                "The sheets are a PDF document, which a terminal can't show: add > sheets.pdf, or | lp to print them.")
        }
        // The system's source, which is made for secrets.
        var randomness = SystemRandomNumberGenerator()
        let codes = (0..<count).map { _ in TestGUID(using: &randomness) }
        var rest = Array(try TestCodeSheets(codes: codes).pdf().utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else {
                throw CommandFailure("The sheets can't be written: \(CommandFailure.systemReason).")
            }
            rest = rest.dropFirst(count)
        }
    }
}

import ArgumentParser
import AuditFormat
import FoundationEssentials
import Running

/// `vigil audit open`: for the auditor, without network or database.
struct AuditOpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Print the entries of an exported file, one JSON object a line.",
        discussion:
            "Within a day the order says nothing. Entries that were sealed to another key are counted, and the status is 1."
    )

    @Option(help: ArgumentHelp("The auditor's key, as `vigil audit keys` wrote it.", valueName: "file"))
    var key: String

    @Argument(help: ArgumentHelp("The exported file.", valueName: "file"))
    var file: String

    func run() async throws {
        guard let text = try? Data(contentsOf: URL(filePath: key)), let bytes = Settings.bytes(hexadecimal: text),
            let key = AuditorKey(bytes: bytes)
        else { throw CommandFailure("\(key) isn't a key that `vigil audit keys` wrote.") }
        guard let content = try? String(contentsOfFile: file, encoding: .utf8),
            let entries = AuditFile(content)?.entries
        else { throw CommandFailure("\(file) isn't a file that `vigil audit export` wrote.") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var closed = 0
        for (day, sealed) in entries {
            guard let entry = key.open(sealed, day: day) else {
                closed += 1
                continue
            }
            Console.say(Self.plain(String(decoding: try encoder.encode(Line(entry)), as: UTF8.self)))
        }
        if closed > 0 { throw CommandFailure("\(closed) of \(entries.count) entries don't open with this key.") }
    }

    /// JSON with everything but printable ASCII escaped, so that no name can steer the auditor's terminal.
    private static func plain(_ json: String) -> String {
        json.utf16.map { unit in
            if (0x20..<0x7f).contains(unit) { return String(UnicodeScalar(UInt8(unit))) }
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    /// An entry with its day as people write it.
    private struct Line: Encodable {
        let day: String
        let kind: String
        let authority: String
        let subject: String

        init(_ entry: AuditEntry) {
            day = Date(timeIntervalSince1970: Double(entry.day) * 86_400).formatted(.iso8601.year().month().day())
            (kind, authority, subject) = (entry.kind, entry.authority, entry.subject)
        }
    }
}

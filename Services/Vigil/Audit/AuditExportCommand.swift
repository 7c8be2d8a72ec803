import ArgumentParser
import AuditFormat
import FoundationEssentials
import Running

/// `vigil audit export`: for the operator, who can't read what it writes.
struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the sealed entries to a file for the auditor.",
        discussion: """
            Run it as the role that owns the tables (vigil_owner). The export itself is recorded in health_portal.audit_read, with \
            the name that --by gives.
            """)

    @Option(help: ArgumentHelp("A libpq connection string; name a passfile in it.", valueName: "conninfo"))
    var connection: String

    @Option(help: ArgumentHelp("Who exports, and at whose request.", valueName: "name"))
    var by: String

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    func validate() throws {
        guard (1...200).contains(by.count) else { throw ValidationError("--by must have 1 to 200 characters.") }
    }

    func run() async throws {
        let by = by
        // Recorded first: an export that nobody knows of is worse than a record without an export.
        let entries = try await DatabaseAccess.with(connection: connection) { owner in
            try await AuditTable.export(by: by, from: owner)
        }
        do {
            try DurableFile.write(Data(AuditFile(entries).text.utf8), to: URL(filePath: file), mode: 0o600)
        } catch {
            throw CommandFailure("\(file) can't be written: \(error).")
        }
        Console.say("\(entries.count) sealed entries are in \(file); only the auditor can open them.")
    }
}

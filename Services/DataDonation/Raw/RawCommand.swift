import ArgumentParser
import AuditFormat
import FoundationEssentials
import Postgres
import Running
import Schema

/// `data-donation raw`: the only way in which rows of donated data leave.
struct RawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raw",
        abstract: "Write the rows of donated data to a directory, and who took them to the sealed audit.",
        discussion: """
            Run it with the fold's configuration. The rows are those of the last 14 days, without noise and threshold. Before the \
            first one is written, an entry with your name and the reason is sealed to the authority's auditor (audit.publicKey); it \
            stays even if the command fails afterwards. `vigil audit export` hands the entries over.
            """)

    @OptionGroup var options: ServiceOptions

    @Option(help: "Why, and at whose request.")
    var reason: String

    @Option(help: ArgumentHelp("Who takes them; without it, the name of the system's user.", valueName: "name"))
    var by: String?

    @Argument(help: ArgumentHelp("The directory to write to; it must not exist.", valueName: "directory"))
    var directory: String

    func validate() throws {
        let size = reason.utf8.count
        guard reason.contains(where: { !$0.isWhitespace }), size <= AuditEntry.longestReason else {
            throw ValidationError("--reason must say something, in \(AuditEntry.longestReason) bytes at most.")
        }
        if let by, by.isEmpty { throw ValidationError("--by must not be empty.") }
    }

    func run() async throws {
        let runtime = try ServiceRuntime(name: "donation-raw", options: options)
        let auditor = try Self.auditor(runtime.configuration)
        try await ServiceDatabase.once(for: runtime, of: .donation) { database in
            let entry = AuditEntry(
                day: runtime.clock.now.dayNumber, donatedDataTakenBy: by ?? ProcessInfo.processInfo.userName,
                reason: reason)
            let rows = try await Self.write(
                to: URL(filePath: directory, directoryHint: .isDirectory), from: database, as: entry, auditor)
            Console.say("\(rows) rows are in \(directory). The audit has an entry with the reason.")
        }
    }

    /// From `audit.publicKey`, a file of 64 hexadecimal digits (`vigil audit keys`).
    static func auditor(_ settings: Settings) throws(ConfigurationProblem) -> AuditorPublicKey {
        guard let key = AuditorPublicKey(bytes: try settings.secretFile("audit.publicKey")) else {
            throw settings.wrong("audit.publicKey", "must name the file of the auditor's public key")
        }
        return key
    }

    /// Stores the sealed entry, then writes a file for each table.
    /// - Returns: the number of rows.
    static func write(
        to directory: URL, from database: PostgresClient, as entry: AuditEntry, _ auditor: AuditorPublicKey
    ) async throws -> Int {
        let sealed = try auditor.seal(entry)
        try await database.session { session in try RawRows.note(sealed, day: entry.day, session) }
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw FilesNotWritten()
        }
        do {
            return try await RawRows.write(to: directory, from: database)
        } catch {
            // A part would look like the whole.
            try? FileManager.default.removeItem(at: directory)
            throw error
        }
    }
}

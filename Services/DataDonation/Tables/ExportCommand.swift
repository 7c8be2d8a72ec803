import ArgumentParser
import FoundationEssentials
import Postgres
import Running
import Schema

/// `data-donation export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the released weekly tables to a directory, for analysts.",
        discussion: """
            Run it with the fold's configuration. It reads what the fold released and nothing else, so every export has the same \
            values.
            """)

    @OptionGroup var options: ServiceOptions

    @Argument(help: ArgumentHelp("The directory to write to; it is created.", valueName: "directory"))
    var directory: String

    func run() async throws {
        let runtime = try ServiceRuntime(name: "donation-export", options: options)
        try await ServiceDatabase.once(for: runtime, of: .donation) { database in
            let files = try await Self.write(to: URL(filePath: directory, directoryHint: .isDirectory), from: database)
            Console.say("\(files) files are in \(directory).")
        }
    }

    /// Writes a file for each table, one with the definitions, and one that explains them.
    /// - Returns: the number of files.
    static func write(to directory: URL, from database: PostgresClient) async throws -> Int {
        var tables: [(table: DonatedTable, releases: [ReleasedTables.Release])] = []
        for table in DonatedTable.allCases {
            tables.append((table, try await ReleasedTables.releases(of: table, in: database)))
        }
        let files =
            tables.map { ("\($0.table.rawValue).csv", TableFiles.csv($0.table, $0.releases)) } + [
                ("definitions.csv", TableFiles.definitions(tables)), ("README.txt", TableFiles.readMe),
            ]
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            for (name, text) in files { try DurableFile.write(Data(text.utf8), to: directory.appending(path: name)) }
        } catch {
            throw FilesNotWritten()
        }
        return files.count
    }
}

/// The directory can't be written to.
struct FilesNotWritten: OperatorProblem {
    var description: String { "the files can't be written: the directory must be writable, and of raw data new." }
}

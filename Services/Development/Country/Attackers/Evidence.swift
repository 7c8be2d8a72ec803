import Foundation

/// What a country left behind.
struct Evidence: Sendable {
    /// What everybody could download.
    let output: PublicOutput
    /// The folder of a database server that has stopped, as somebody has it who takes the machine.
    let database: String
    /// What passed on the phones' networks.
    let trace: NetworkTrace
    /// What receivers at venues heard.
    let sightings: [VenueSighting]

    /// The files of the database's tables, and those of its write-ahead log.
    var databaseFiles: [(source: String, files: [URL])] {
        get throws {
            let found = FileManager.default.enumerator(
                at: URL(filePath: database), includingPropertiesForKeys: [.isRegularFileKey])
            let files = try (found?.compactMap { $0 as? URL } ?? []).filter {
                try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            }.sorted { $0.path < $1.path }
            return [("the database's tables", "/base/"), ("its write-ahead log", "/pg_wal/")].map { source, folder in
                (source, files.filter { $0.path.contains(folder) })
            }
        }
    }
}

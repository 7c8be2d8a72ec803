import Crypto
import ExposureFormat
import ExposureKeys
import Foundation
import Logging
import Postgres
import Running
import Schema
import TestSupport
import Testing

@testable import Distribution

/// The real distribution, on a database and a tree of its own.
struct HomePackages: Sendable {
    private let publisher: Publisher
    private let root: URL

    static func run<Result: Sendable>(
        of database: MigratedDatabase, by clock: ManualClock, _ body: (HomePackages) async throws -> Result
    ) async throws -> Result {
        try await withScratchFolder { folder in
            let root = URL(filePath: folder).appending(path: "published", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
            let key = URL(filePath: folder).appending(path: "signing-key.pem")
            try DurableFile.write(Data(P256.Signing.PrivateKey().pemRepresentation.utf8), to: key, mode: 0o600)
            let connection = database.connection(as: .distribution)
            let runtime = ServiceRuntime(
                name: "distribution",
                settings: [
                    "directory": root.path, "signing.keys": "262/v1=\(key.path)", "regions": "DE",
                    "postgres.connection": connection,
                ], clock: clock.clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            return try await TestPostgres.withClient(connection) { client in
                let clock = DatabaseClock(of: client, movedLike: clock.clock)
                let publisher = try Publisher(database: client, clock: clock, origin: "DE", runtime: runtime)
                return try await body(HomePackages(publisher: publisher, root: root))
            }
        }
    }

    /// Publishes all hours that have ended.
    func publish(asOf instant: Date) async throws { _ = try await publisher.publish(asOf: instant) }

    /// The keys of an hour's package, in its order.
    func keys(of hour: Hour) throws -> [ExportedKey] {
        let path = "version/v1/diagnosis-keys/country/DE/date/\(hour.day.name)/hour/\(hour.ofDay)"
        return try ExportArchive.read(Array(Data(contentsOf: root.appending(path: path)))).keys
    }
}

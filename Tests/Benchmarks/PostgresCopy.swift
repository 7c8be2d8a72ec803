import ArgumentParser
import Logging
import Postgres

/// Inserts rows like those of a fold in one COPY and commits them.
///
/// The table, as the script that runs this creates it: `bench_copy` with the columns below, empty.
struct PostgresCopy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Rows of one large COPY per second.")

    @Option(help: "The database, as a libpq connection string.")
    var connection: String

    @Option(help: "How many rows.")
    var rows = 500_000

    func run() async throws {
        let client = PostgresClient(
            PostgresConfiguration(
                connection: connection, applicationName: "benchmark", maximumConnections: 1,
                statementTimeout: .seconds(600)),
            logger: Logger(label: "benchmark"))
        var random = FastRandom(repeatable: 1)
        let keys = (0..<rows).map { _ in Key(first: random.next(), second: random.next()) }
        let hour: Int32 = 490_000
        let day: Int32 = 2_650_000
        // Connecting is not measured.
        try await client.session { try $0.execute("SELECT 1") }
        let measurement = try await Measurement.of {
            try await client.transaction { session in
                try session.copyIn(
                    into: "bench_copy (hour, key, start, period, trl, onset, report)",
                    columns: Int32.self, Key.self, Int32.self, Int16.self, Int16.self, Int16.self, Int16.self
                ) { writer in
                    for key in keys {
                        let level = Int16(truncatingIfNeeded: key.first % 8)
                        try writer.row(hour, key, day, Int16(144), level, Int16(4), Int16(1))
                    }
                }
            }
        }
        try measurement.report()
        await client.close()
    }

    /// Sixteen bytes in place.
    private struct Key: PostgresEncodable {
        static let postgresType = PostgresType.bytea

        var first: UInt64
        var second: UInt64

        func encode(into buffer: inout [UInt8]) {
            withUnsafeBytes(of: (first, second)) { buffer.append(contentsOf: $0) }
        }
    }
}

import ArgumentParser
import Postgres

/// Reads one row by its key.
///
/// The table, as the script that runs this creates it: `bench_lookup (id bigint PRIMARY KEY, value bytea)` with the
/// keys 1 to 100000.
struct PostgresLookup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Single-row look-ups per second.")

    @OptionGroup var load: PostgresLoad

    func run() async throws {
        try await load.run { client, random in
            let id = Int64.random(in: 1...100_000, using: &random)
            let value = try await client.session { session in
                try session.row("SELECT value FROM bench_lookup WHERE id = \(id)", as: [UInt8].self)
            }
            guard value != nil else { throw ValidationError("bench_lookup lacks rows") }
        }
    }
}

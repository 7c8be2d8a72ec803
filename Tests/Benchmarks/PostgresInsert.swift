import ArgumentParser
import Postgres

/// Inserts fourteen rows in one statement, as a submission of fourteen keys does.
///
/// The table, as the script that runs this creates it: `bench_insert (key bytea PRIMARY KEY, start integer, period
/// smallint, trl smallint)`.
struct PostgresInsert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Inserts of fourteen rows per second.")

    @OptionGroup var load: PostgresLoad

    func run() async throws {
        try await load.run { client, random in
            var keys: [[UInt8]] = []
            for _ in 0..<14 { keys.append(Self.key(using: &random)) }
            let starts = (0..<14).map { Int32(2_650_000 + 144 * $0) }
            let periods = [Int16](repeating: 144, count: 14)
            let levels = (0..<14).map { Int16($0 % 8 + 1) }
            _ = try await client.session { [keys] session in
                try session.execute(
                    """
                    INSERT INTO bench_insert (key, start, period, trl) \
                    SELECT * FROM unnest(\(keys), \(starts), \(periods), \(levels)) ON CONFLICT DO NOTHING
                    """)
            }
        }
    }

    private static func key(using random: inout FastRandom) -> [UInt8] {
        withUnsafeBytes(of: (random.next(), random.next())) { Array($0) }
    }
}

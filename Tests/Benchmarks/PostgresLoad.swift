import ArgumentParser
import Logging
import Postgres

/// The options that the PostgreSQL benchmarks share, and the load that they put on the database.
struct PostgresLoad: ParsableArguments {
    typealias Operation = @Sendable (PostgresClient, inout FastRandom) async throws -> Void

    @Option(help: "The database, as a libpq connection string.")
    var connection: String

    @Option(help: "Connections at most.")
    var connections = 16

    @Option(help: "Tasks that use them; as many as connections unless given.")
    var tasks: Int?

    @Option(help: "How long to measure.")
    var seconds = 4

    /// Repeats `operation` in as many tasks as there are connections until the time is over. Connecting and preparing
    /// the statement are not measured.
    func run(_ operation: @escaping Operation) async throws {
        let client = PostgresClient(
            PostgresConfiguration(
                connection: connection, applicationName: "benchmark", maximumConnections: connections),
            logger: Logger(label: "benchmark"))
        _ = try await repeating(operation, on: client, for: .milliseconds(500))
        let measurement = try await Measurement.of {
            try await repeating(operation, on: client, for: .seconds(seconds))
        }
        try measurement.report()
        await client.close()
    }

    private func repeating(
        _ operation: @escaping Operation, on client: PostgresClient, for duration: Duration
    ) async throws -> Int {
        let end = ContinuousClock.now + duration
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<(tasks ?? connections) {
                group.addTask {
                    var random = FastRandom(seed: UInt64(task))
                    var count = 0
                    while ContinuousClock.now < end {
                        try await operation(client, &random)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }
}

/// Random numbers that cost next to nothing (SplitMix64), as pgbench's do: the system's generator is a system call.
struct FastRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = UInt64.random(in: .min ... .max) &+ seed
    }

    /// The same numbers each time.
    init(repeatable seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

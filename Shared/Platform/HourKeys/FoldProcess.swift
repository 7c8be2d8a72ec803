package import ArgumentParser
package import FoundationEssentials
import Logging
package import Postgres
package import Running
package import Schema
package import ServiceLifecycle
import Serving

/// A fold that runs as a process of its own, with a database role and a configuration of its own.
package protocol FoldProcess: HourlyFold {
    /// The name of the process.
    static var process: String { get }
    /// The tables it works on.
    static var schema: Schema { get }
    /// Whose retention rules it applies.
    static var role: DatabaseRole { get }

    /// Reads directory and rules from the configuration.
    /// - Parameter database: connected as ``role``.
    init(_ database: PostgresClient, by clock: DatabaseClock, _ runtime: ServiceRuntime) throws

    /// What the process does besides.
    static func otherJobs(
        in runtime: ServiceRuntime, _ database: PostgresClient, by clock: DatabaseClock
    ) async throws -> [any Service]
}

extension FoldProcess {
    /// Nothing.
    package static func otherJobs(
        in runtime: ServiceRuntime, _ database: PostgresClient, by clock: DatabaseClock
    ) async throws -> [any Service] { [] }

    /// Folds at startup and after every hour until shutdown. Of several processes with one key directory, one folds.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let database = try ServiceDatabase.client(for: runtime)
        try await schema.check(database)
        let clock = try await DatabaseClock(of: runtime, in: database)
        let fold = try Self(database, by: clock, runtime)
        let others = try await otherJobs(in: runtime, database, by: clock)
        try await runtime.run(
            listeners: [],
            services: [
                database, ClockWatch(clock, runtime), fold.everyHour(in: runtime),
                Retention.everyHour(for: role, in: database, by: clock, runtime),
            ] + others,
            readiness: [ServiceDatabase.readiness(of: database)])
    }

    /// Folds once.
    /// - Parameter instant: the hours that ended at or before it are folded.
    package static func once(asOf instant: Date, _ runtime: ServiceRuntime) async throws {
        try await ServiceDatabase.once(for: runtime, of: schema) { database in
            let clock = try await DatabaseClock(of: runtime, in: database)
            let report = try await Self(database, by: clock, runtime).run(asOf: instant, present: runtime.clock.now)
            runtime.logger.notice("folded", metadata: report.metadata)
        }
    }
}

/// The subcommand `fold` of a service.
package struct FoldCommand<Fold: FoldProcess>: AsyncParsableCommand {
    /// Its name and help.
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "fold", abstract: "Fold every hour, or once with --as-of.",
            discussion: """
                A process of its own, with a database role and a configuration of its own: it alone can open what was sealed. It \
                catches up on hours that it missed.
                """)
    }

    @OptionGroup var options: ServiceOptions

    @Option(
        name: .customLong("as-of"),
        help: "Fold the hours that ended at or before an ISO 8601 instant, such as 2026-11-21T14:00:00Z, and end.")
    var asOf: Instant?

    /// For ArgumentParser.
    package init() {}

    package func run() async throws {
        let runtime = try ServiceRuntime(name: Fold.process, options: options)
        if let asOf {
            try await Fold.once(asOf: asOf.date, runtime)
        } else {
            try await Fold.serve(runtime)
        }
    }
}

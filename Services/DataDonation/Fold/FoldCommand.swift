import ArgumentParser
package import FoundationEssentials
import Logging
import Postgres
package import Running
import Schema
import Serving

extension DataDonation {
    /// Folds at startup and after every hour until shutdown, and releases what is over. Of several processes with one key directory,
    /// one folds.
    package static func fold(_ runtime: ServiceRuntime) async throws {
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.donation.check(database)
        let clock = try await DatabaseClock(of: runtime, in: database)
        let fold = try Fold(database, by: clock, runtime)
        let releases = try await Releases.everyHour(in: runtime, database, by: clock)
        try await runtime.run(
            listeners: [],
            services: [
                database, ClockWatch(clock, runtime), fold.everyHour(in: runtime),
                Retention.everyHour(for: .donationFold, in: database, by: clock, runtime),
            ] + releases,
            readiness: [ServiceDatabase.readiness(of: database)])
    }

    /// Folds once.
    /// - Parameter instant: the hours that ended at or before it are folded.
    package static func fold(asOf instant: Date, _ runtime: ServiceRuntime) async throws {
        try await ServiceDatabase.once(for: runtime, of: .donation) { database in
            let clock = try await DatabaseClock(of: runtime, in: database)
            let report = try await Fold(database, by: clock, runtime).run(asOf: instant)
            runtime.logger.notice("folded", metadata: report.metadata)
        }
    }
}

/// `data-donation fold`.
struct FoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fold", abstract: "Fold donations every hour, or once with --as-of.",
        discussion: """
            A process of its own, with a database role and a configuration of its own: it alone can open what was donated. It \
            catches up on hours that it missed.
            """)

    @OptionGroup var options: ServiceOptions

    @Option(
        name: .customLong("as-of"),
        help: "Fold the hours that ended at or before an ISO 8601 instant, such as 2026-11-21T14:00:00Z, and end.")
    var asOf: Instant?

    func run() async throws {
        let runtime = try ServiceRuntime(name: "donation-fold", options: options)
        if let asOf {
            try await DataDonation.fold(asOf: asOf.date, runtime)
        } else {
            try await DataDonation.fold(runtime)
        }
    }
}

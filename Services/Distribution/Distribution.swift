package import ArgumentParser
import Calling
import ExposureKeys
package import FoundationEssentials
import Logging
import Postgres
package import Running
import Schema
import ServiceLifecycle
import Serving

/// The executable `distribution`: publishes diagnosis keys and check-in reports as signed packages.
package struct Distribution: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "distribution",
        abstract: "Publishes the folded keys as signed packages.",
        subcommands: [
            RunCommand.self, PublishCommand.self, ExplainCommand.self, VerifyCommand.self, CheckCommand.self,
            ReadyCommand.self,
        ])

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    /// Publishes every hour until shutdown.
    package static func run(_ runtime: ServiceRuntime) async throws {
        let database = try ServiceDatabase.client(for: runtime)
        // One holds the lock, one waits for it, and one works.
        guard database.maximumConnections >= 3 else {
            throw runtime.configuration.wrong("postgres.maximumConnections", "must be at least 3")
        }
        try await Schema.distribution.check(database)
        let clock = try await DatabaseClock(of: runtime, in: database)
        let origin = try await runtime.configuration.agreed(on: .origin, in: database)
        let publisher = try Publisher(database: database, clock: clock, origin: origin, runtime: runtime)
        try await publisher.tryStore()
        let figures = FigureRelease(
            try await LocalCalendar(runtime.configuration, in: database), in: database, by: clock)
        var services: [any Service] = [
            database, ClockWatch(clock, runtime), BackupWatch(database, runtime), try publisher.everyHour(in: runtime),
            PublishVenueEvents(publisher: publisher).job(in: runtime),
            Retention.everyHour(for: .distribution, in: database, by: clock, runtime),
            figures.everyHour([.publishedEntries], in: runtime),
        ]
        if let announcement = publisher.announcement { services.append(announcement.service) }
        if let folder = publisher.staticFolder {
            try await publisher.refusedFiles.look(
                into: folder, publishingFrom: publisher.policy.lowestLevel, of: origin)
        }
        try await runtime.run(
            listeners: [], services: services, readiness: [ServiceDatabase.readiness(of: database)],
            warnings: { publisher.refusedFiles.warnings })
    }

    /// Publishes once.
    /// - Parameter instant: the run publishes the folded hours that ended at or before it.
    package static func publish(asOf instant: Date, _ runtime: ServiceRuntime) async throws {
        let report = try await ServiceDatabase.once(for: runtime, of: .distribution) { database in
            let clock = try await DatabaseClock(of: runtime, in: database)
            let origin = try await runtime.configuration.agreed(on: .origin, in: database)
            let publisher = try Publisher(database: database, clock: clock, origin: origin, runtime: runtime)
            let report: Result<Publisher.Report, any Error>
            do {
                report = .success(
                    try await publisher.publish(asOf: instant, present: runtime.clock.now, progress: .onTerminal))
            } catch {
                report = .failure(error)
            }
            await publisher.announcement?.service.close()
            return try report.get()
        }
        runtime.logger.notice("publication finished", metadata: report.metadata)
    }
}

/// `distribution run`.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Publish every hour, and catch up on hours that were missed.")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await Distribution.run(ServiceRuntime(name: "distribution", options: options))
    }
}

/// `distribution publish --as-of INSTANT`.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Publish the hours that ended at or before an instant, once.")

    @OptionGroup var options: ServiceOptions

    @Option(name: .customLong("as-of"), help: "An ISO 8601 instant, such as 2026-11-21T14:00:00Z.")
    var asOf: Instant

    func run() async throws {
        try await Distribution.publish(asOf: asOf.date, ServiceRuntime(name: "distribution", options: options))
    }
}

package import ArgumentParser
package import FoundationEssentials
import FurtherAPI
import HTTPContract
import Postgres
package import Running
import Schema
import Serving
import TLS

/// The executable `further`: takes health reports under the ids that phones show to each other, and publishes which are positive.
package struct Further: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "further",
        abstract: "Takes health reports under the ids that phones show to each other, and publishes the positive ones.",
        subcommands: [ServeCommand.self, PublishCommand.self, ReadyCommand.self], defaultSubcommand: ServeCommand.self)

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    /// Runs the service until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let clock = runtime.clock
        let tls = try TLSFiles(settings)
        let hashes = FurtherHashes(try settings.hashKey("secrets.hashKey"))
        let signatures = try Signatures(settings)
        let attest = try AttestedApps(settings, runtime.logger)
        let spread = try settings.int("batch.spreadHours", default: 6, in: 0...24)
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.further.check(database)
        let databaseClock = try await DatabaseClock(of: runtime, in: database)
        let keys = KeyStore(database)
        let lists = try PublishLists(database, by: databaseClock, runtime)
        let accept = AcceptReports(
            callers: VerifyCaller(signatures: signatures, hashes: hashes, keys: keys, clock: clock),
            limit: ReportLimit(clock: clock), clock: clock, store: ReportStore(database, spreadHours: spread))

        let apps = try Listener("app", from: settings, defaultPort: 8140, security: .mutualTLS(tls)) { routes in
            routes.on(FurtherAPI.report, use: accept.handle)
            routes.on(FurtherAPI.batch, use: accept.handleBatch)
            routes.on(
                FurtherAPI.key,
                use: RegisterKey(signatures: signatures, attest: attest, keys: keys, clock: clock).handle)
        }
        try await runtime.run(
            listeners: [apps],
            services: [
                database, accept, ClockWatch(databaseClock, runtime),
                WrittenHours.reports(database, by: databaseClock).everyHour(in: runtime), lists.always(in: runtime),
                Retention.everyHour(for: .further, in: database, by: databaseClock, runtime),
            ],
            readiness: [ServiceDatabase.readiness(of: database)])
    }

    /// Builds the lists once.
    /// - Parameter instant: the lists are those of the last multiple of five minutes at or before it.
    package static func publish(asOf instant: Date, _ runtime: ServiceRuntime) async throws {
        try await ServiceDatabase.once(for: runtime, of: .further) { database in
            let clock = try await DatabaseClock(of: runtime, in: database)
            try await PublishLists(database, by: clock, runtime).publish(at: instant, again: true)
        }
    }
}

/// `further serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Take reports and publish lists (the default).")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await Further.serve(ServiceRuntime(name: "further", options: options))
    }
}

/// `further publish --as-of INSTANT`.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Build the lists once, also if they are there.",
        discussion: "For development, and for a rehearsal: the service does the same every five minutes.")

    @OptionGroup var options: ServiceOptions

    @Option(name: .customLong("as-of"), help: "An ISO 8601 instant, such as 2026-11-21T14:00:00Z.")
    var asOf: Instant

    func run() async throws {
        try await Further.publish(asOf: asOf.date, ServiceRuntime(name: "further", options: options))
    }
}

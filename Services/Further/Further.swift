package import ArgumentParser
import FoundationEssentials
import FurtherAPI
import HTTPContract
import ObjectStore
package import Running
import Schema
import Serving
import TLS

/// The executable `further`: takes health reports under the ids that phones show to each other, and publishes which are positive.
package struct Further: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "further",
        abstract: "Takes health reports under the ids that phones show to each other, and publishes the positive ones.",
        subcommands: [ServeCommand.self, ReadyCommand.self], defaultSubcommand: ServeCommand.self)

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    /// Runs the service until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let clock = runtime.clock
        let tls = try TLSFiles(settings)
        let hashes = try FurtherHashes(settings)
        let signatures = try Signatures(settings)
        let attest = try AttestedApps(settings, runtime.logger)
        let spread = try settings.int("batch.spreadHours", default: 6, in: 0...24)
        let database = try ServiceDatabase.client(for: runtime)
        try await Schema.further.check(database)
        let databaseClock = try await DatabaseClock(of: runtime, in: database)
        let keys = KeyStore(database)
        let lists = PublishLists(
            reports: PublicReports(database, countingFrom: try PublicReports.Age(settings)),
            store: try settings.treeStore(),
            features: settings.optionalString("features.file").map { URL(filePath: $0) },
            databaseClock: databaseClock, logger: runtime.logger)
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
                WrittenHours(database, by: databaseClock).everyHour(in: runtime), lists.always(in: runtime),
                Retention.everyHour(for: .further, in: database, by: databaseClock, runtime),
            ],
            readiness: [ServiceDatabase.readiness(of: database)])
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

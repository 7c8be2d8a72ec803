package import ArgumentParser
import ExposureKeys
import FederationAPI
import FederationFormat
package import FoundationEssentials
import HTTPContract
import Logging
import Postgres
package import Running
import Schema
import ServiceLifecycle
import Serving
import TLS

/// The executable `federation`: exchanges keys with other countries through a gateway.
package struct Federation: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "federation",
        abstract: "Exchanges diagnosis keys with other countries through the gateway of a federation.",
        subcommands: [
            ServeCommand.self, StatusCommand.self, ExplainCommand.self, RetryCommand.self, RunCommand.self,
            ReadyCommand.self,
        ], defaultSubcommand: ServeCommand.self)

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    /// Sends and reads batches until shutdown. A second gateway has a process of its own.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let database = try ServiceDatabase.client(for: runtime)
        // Two jobs hold a lock each, and work with other connections.
        guard database.maximumConnections >= 5 else {
            throw settings.wrong("postgres.maximumConnections", "must be at least 5")
        }
        try await Schema.federation.check(database)
        let clock = try await DatabaseClock(of: runtime, in: database)
        let exchange = try await GatewayExchange(database, by: clock, runtime)
        let figures = FigureRelease(try await LocalCalendar(settings, in: database), in: database, by: clock)
        var services: [any Service] = [
            database, ClockWatch(clock, runtime), exchange.client, exchange.hours(),
            Retention.everyHour(for: .federation, in: database, by: clock, runtime),
            figures.everyHour([], in: runtime),
        ]
        services += [exchange.uploads(), exchange.downloads()].compactMap { $0 }
        if let registration = try exchange.registration(settings) { services.append(registration) }
        try await runtime.run(
            listeners: try exchange.callbackListener(settings).map { [$0] } ?? [], services: services,
            readiness: [ServiceDatabase.readiness(of: database)])
    }

    /// Runs everything once.
    /// - Parameter instant: the slot ends with the hour that ended at or before it.
    package static func run(asOf instant: Date, _ runtime: ServiceRuntime) async throws {
        let done = try await ServiceDatabase.once(for: runtime, of: .federation) { database in
            let exchange = try await GatewayExchange(
                database, by: try await DatabaseClock(of: runtime, in: database), runtime)
            return try await exchange.run(asOf: instant)
        }
        runtime.logger.notice("exchange finished", metadata: done)
    }
}

extension GatewayExchange {
    /// Keeps the subscription to callbacks; nil without `callback.url`.
    func registration(_ settings: Settings) throws -> RecurringJob? {
        guard let registration = try CallbackRegistration(settings, for: self) else { return nil }
        return RecurringJob("federation-callback", in: runtime) {
            $0.addingTimeInterval(3600)
        } work: { now in
            ["registered": "\(try await registration.run(at: now))"]
        }
    }

    /// The listener for the gateway's calls; nil without `callback.url`.
    fileprivate func callbackListener(_ settings: Settings) throws -> Listener? {
        guard settings.optionalString("callback.url") != nil else { return nil }
        let gateway = try PinnedCaller(settings)
        let take = TakeAnnouncement(store: incoming, days: plan.days, clock: runtime.clock)
        return try Listener(
            "callback", from: settings, defaultPort: 8090,
            security: .mutualTLS(try TLSFiles(settings, prefix: "callback"))
        ) { routes in
            routes.on(FederationAPI.callback, from: gateway.isCaller) { announcement, _ in
                try await take.handle(announcement)
            }
        }
    }
}

/// `federation serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Send and read batches (the default).")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await Federation.serve(ServiceRuntime(name: "federation", options: options))
    }
}

/// `federation run --as-of INSTANT`.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Share, send and read once, and end an hour of import.",
        discussion: "For development, and for a rehearsal: the service does the same at its fixed times.")

    @OptionGroup var options: ServiceOptions

    @Option(name: .customLong("as-of"), help: "An ISO 8601 instant, such as 2026-11-21T14:00:00Z.")
    var asOf: Instant

    func run() async throws {
        try await Federation.run(asOf: asOf.date, ServiceRuntime(name: "federation", options: options))
    }
}

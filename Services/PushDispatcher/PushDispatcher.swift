package import ArgumentParser
import HTTPContract
import PushAPI
package import Running
import Schema
import Serving
import TLS

/// The executable `push-dispatcher`: stores push registrations of phones, and wakes the phones.
package struct PushDispatcher: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "push-dispatcher",
        abstract: "Stores push registrations of phones, and sends silent pushes in waves.",
        subcommands: [ServeCommand.self, StatusCommand.self, TestTokenCommand.self, ReadyCommand.self],
        defaultSubcommand: ServeCommand.self)

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    /// Runs the service until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let database = try ServiceDatabase.client(for: runtime)
        let vault = try TokenVault(settings)
        try await Schema.pushDispatcher.check(database)
        let databaseClock = try await DatabaseClock(of: runtime, in: database)
        let figures = FigureRelease(
            try await LocalCalendar(settings, in: database), in: database, by: databaseClock)
        let register = RegisterForPush(store: RegistrationStore(database), vault: vault, clock: runtime.clock)
        let waves = WaveStore(database)
        let announce = AnnounceNews(store: waves, clock: runtime.clock)
        let apns = APNsClient(
            try APNsPlan(settings, clock: runtime.clock), clock: runtime.clock, metrics: runtime.metrics,
            logger: runtime.logger)
        let engine = WaveEngine(
            store: waves, vault: vault, schedule: try WaveSchedule(settings), clock: runtime.clock,
            databaseClock: databaseClock,
            send: { await apns.send($0, expiration: $1) }, metrics: WaveMetrics(runtime.metrics),
            logger: runtime.logger)

        let listener = try Listener(
            "listen", from: settings, defaultPort: 8050, security: .mutualTLS(try TLSFiles(settings))
        ) { routes in
            routes.on(PushAPI.register, use: register.handle)
            routes.on(PushAPI.registerV1, use: register.handle)
            routes.on(PushAPI.announce, use: announce.handle)
        }
        try await runtime.run(
            listeners: [listener],
            services: [
                database, ClockWatch(databaseClock, runtime), apns, WaveService(engine: engine, logger: runtime.logger),
                Retention.everyHour(for: .pushDispatcher, in: database, by: databaseClock, runtime),
                figures.everyHour([.pushWaves], in: runtime),
            ],
            readiness: [ServiceDatabase.readiness(of: database)])
    }
}

/// `push-dispatcher serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Take registrations and send waves (the default).")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await PushDispatcher.serve(ServiceRuntime(name: "push-dispatcher", options: options))
    }
}

package import ArgumentParser
import Crypto
import DevelopmentAPNsAPI
import FoundationEssentials
import HTTPContract
package import Running
import Serving
import TLS

/// The executable `development-apns`: a simulated APNs that refuses what the real one refuses.
package struct DevelopmentAPNs: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "development-apns",
        abstract: "A simulated Apple Push Notification service, for development and tests on one machine.",
        subcommands: [ServeCommand.self, ReadyCommand.self], defaultSubcommand: ServeCommand.self)

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    /// Runs both hosts and the control port until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let service = SimulatedAPNs(try rules(settings), clock: runtime.clock)
        let files = try TLSFiles(settings)
        let hosts = try [("production", 8061), ("sandbox", 8062)].map { name, port in
            service.listener(
                name, host: settings.string("\(name).host", default: "127.0.0.1"),
                port: try settings.port("\(name).port", default: port), tls: files)
        }
        let control = try Listener("control", from: settings, defaultPort: 8063, security: .plain) { routes in
            routes.on(DevelopmentAPNsAPI.wakes) { query, _ in Wakes(count: service.accepted(token: query.token)) }
            routes.on(DevelopmentAPNsAPI.instruction) { instruction, _ in
                service.follow(instruction)
                return NoContent()
            }
        }
        try await runtime.run(listeners: hosts + [control])
    }

    private static func rules(_ settings: Settings) throws -> SimulatedRules {
        let pem = try settings.text("publicKey")
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw settings.wrong("publicKey", "must name a file with a P-256 public key in PEM")
        }
        var rules = SimulatedRules(
            topic: try settings.string("topic"), team: try settings.string("teamID"),
            keys: [try settings.string("keyID"): key])
        rules.delay = try settings.duration("delay", default: .zero, in: .zero ... .seconds(60))
        return rules
    }
}

/// `development-apns serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Listen (the default).")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await DevelopmentAPNs.serve(ServiceRuntime(name: "development-apns", options: options))
    }
}

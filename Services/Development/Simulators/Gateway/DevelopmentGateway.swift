package import ArgumentParser
import DevelopmentGatewayAPI
import FederationFormat
import FoundationEssentials
import HTTPContract
import Logging
package import Running
import Serving
import TLS

/// The executable `development-gateway`: a simulated gateway of a federation that refuses what the real one refuses.
package struct DevelopmentGateway: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "development-gateway",
        abstract: "A simulated European Federation Gateway Service, for development and tests on one machine.",
        subcommands: [ServeCommand.self, ReadyCommand.self], defaultSubcommand: ServeCommand.self)

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    /// Runs the gateway and the control port until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let client = try CallbackClient(settings)
        let gateway = try gateway(settings, clock: runtime.clock, client)
        let listener = try Listener(
            "listen", from: settings, defaultPort: 8100, security: .mutualTLS(try files(settings)),
            limits: SimulatedGateway.limits
        ) { gateway.mount(on: &$0) }
        var limits = Limits.inner
        // Batching waits for the countries that are called back.
        limits.handler = .seconds(30)
        let control = try Listener("control", from: settings, defaultPort: 8103, security: .plain, limits: limits) {
            gateway.mountControl(on: &$0)
        }
        let batching = RecurringJob("gateway-batching", in: runtime, due: { $0 + interval }) { _ in
            let made = gateway.batch()
            await gateway.callBack()
            return ["batches": .stringConvertible(made.count)]
        }
        try await runtime.run(listeners: [listener, control], services: [client, batching])
    }

    /// Seconds between two runs of batching and of callbacks.
    private static let interval: TimeInterval = 300

    private static func files(_ settings: Settings) throws -> TLSFiles {
        let own = try TLSFiles(settings)
        let isSet = settings.optionalString("clients.authorities") != nil
        return TLSFiles(
            certificate: own.certificate, key: own.key,
            authorities: isSet ? try settings.path("clients.authorities") : own.authorities, denied: own.denied)
    }

    private static func gateway(
        _ settings: Settings, clock: WallClock, _ client: CallbackClient
    ) throws -> SimulatedGateway {
        let modeName = settings.string("mode", default: GatewayMode.efgs.rawValue)
        guard let mode = GatewayMode(rawValue: modeName) else { throw settings.wrong("mode", "must be efgs or chgs") }
        let journal = try journal(settings)
        do {
            return try SimulatedGateway(
                mode, anchor: anchor(settings), home: home(settings),
                countries: countries(settings, journal, at: clock.now), clock: clock, journal: journal
            ) { await client.get($0) }
        } catch is DecodingError {
            throw settings.wrong("journal", "can't be read: remove the file, and the gateway begins anew")
        }
    }

    private static func anchor(_ settings: Settings) throws -> FederationAnchor {
        let (certificate, key) = (try settings.path("anchor.certificate"), try settings.path("anchor.key"))
        do {
            return try FederationAnchor(
                certificatePEM: settings.text("anchor.certificate"), privateKeyPEM: settings.text("anchor.key"))
        } catch {
            throw settings.wrong(
                "anchor.key", "names \(key), which must be the P-256 or RSA key of the certificate in \(certificate)")
        }
    }

    private static func home(_ settings: Settings) throws -> FederationMember {
        FederationMember(
            code: try country(settings.string("home.country", default: "DE"), "home.country", settings),
            authentication: try certificate("home.gatewayCertificate", settings),
            signing: try certificate("home.signingCertificate", settings))
    }

    private static func journal(_ settings: Settings) throws -> GatewayJournal? {
        guard let path = settings.optionalString("journal") else { return nil }
        do {
            return try GatewayJournal(path)
        } catch {
            throw settings.wrong("journal", "names \(path), which can't be opened: \(error)")
        }
    }

    /// Every kind of key is somebody's.
    private static func countries(
        _ settings: Settings, _ journal: GatewayJournal?, at now: Date
    ) throws -> [SimulatedCountry] {
        let names = settings.list("countries")
        let kinds = FederationIdentity.KeyKind.allCases
        var known: [CountryCode: SimulatedCountry] = [:]
        try journal?.replay { _, event in
            if case .country(let country) = event { known[country.code] = country }
        }
        return try (names.isEmpty ? ["FR", "NL", "PL"] : names).enumerated().map { number, name in
            let code = try country(name, "countries", settings)
            if let country = known[code], country.signing.certificate.validity.contains(now) { return country }
            let made = try SimulatedCountry.make(
                code, kinds[number % kinds.count], validity: now - 86_400..<now + 365 * 86_400)
            journal?.append(.country(made), at: now)
            return made
        }
    }

    private static func country(_ text: String, _ key: String, _ settings: Settings) throws -> CountryCode {
        guard let code = CountryCode(text) else { throw settings.wrong(key, "must be two capital letters") }
        return code
    }

    private static func certificate(_ key: String, _ settings: Settings) throws -> FederationCertificate {
        let path = try settings.path(key)
        guard let certificate = try? FederationCertificate(pem: settings.text(key)) else {
            throw settings.wrong(key, "names \(path), which must hold one certificate in PEM")
        }
        return certificate
    }
}

/// `development-gateway serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Listen (the default).")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await DevelopmentGateway.serve(ServiceRuntime(name: "development-gateway", options: options))
    }
}

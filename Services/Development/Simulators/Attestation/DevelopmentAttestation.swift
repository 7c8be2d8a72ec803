package import ArgumentParser
import Crypto
import FoundationEssentials
package import Running
import Serving
import TLS

/// The executable `development-attestation`: Apple and Google as apps and services see them, when they vouch for
/// phones.
package struct DevelopmentAttestation: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "development-attestation",
        abstract:
            "A simulated DeviceCheck, and evidence of simulated phones, for development and tests on one machine.",
        subcommands: [ServeCommand.self, ReadyCommand.self], defaultSubcommand: ServeCommand.self)

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}

    /// Runs Apple's routes and the control port until shutdown.
    package static func serve(_ runtime: ServiceRuntime) async throws {
        let settings = runtime.configuration
        let now = runtime.clock.now
        let files = try TLSFiles(settings)
        let deviceCheck = try deviceCheck(settings, runtime.clock)
        let root = try root(settings)
        let evidence = Evidence(
            apple: try AppleAuthority(below: root, at: now), playIntegrity: try playIntegrity(settings),
            clock: runtime.clock)
        let routes = DeviceCheckRoutes(deviceCheck)
        // Services have no certificate for Apple.
        let listener = try Listener("listen", from: settings, defaultPort: 8120, security: .publicTLS(files)) {
            routes.mount(on: &$0)
        }
        let control = try Listener("control", from: settings, defaultPort: 8123, security: .plain) {
            AttestationControl(deviceCheck, routes, evidence).mount(on: &$0)
        }
        try await runtime.run(listeners: [listener, control])
    }

    // MARK: Settings

    private static func deviceCheck(_ settings: Settings, _ clock: WallClock) throws -> SimulatedDeviceCheck {
        let pem = try settings.text("deviceCheck.publicKey")
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw settings.wrong("deviceCheck.publicKey", "must name a file with a P-256 public key in PEM")
        }
        let wordingName = settings.string("deviceCheck.wording", default: DeviceCheckReply.Wording.live.rawValue)
        guard let wording = DeviceCheckReply.Wording(rawValue: wordingName) else {
            throw settings.wrong("deviceCheck.wording", "must be documented or live")
        }
        return SimulatedDeviceCheck(
            team: try settings.string("deviceCheck.teamID"), keys: [try settings.string("deviceCheck.keyID"): key],
            wording: wording, clock: clock)
    }

    private static func playIntegrity(_ settings: Settings) throws -> PlayIntegrityMint {
        let encryption = try settings.text("playIntegrity.decryptionKey").filter { !$0.isWhitespace }
        guard let secret = Data(base64Encoded: encryption), secret.count == 32 else {
            throw settings.wrong("playIntegrity.decryptionKey", "must name a file with 32 bytes in Base64")
        }
        let signing = try settings.text("playIntegrity.signingKey")
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: signing) else {
            throw settings.wrong("playIntegrity.signingKey", "must name a file with a P-256 key in PEM")
        }
        return PlayIntegrityMint(encryption: SymmetricKey(data: secret), signing: key)
    }

    private static func root(_ settings: Settings) throws -> EvidenceRoot {
        let (certificate, key) = (try settings.text("root.certificate"), try settings.text("root.key"))
        do throws(EvidenceRoot.Mismatch) {
            return try EvidenceRoot(certificatePEM: certificate, privateKeyPEM: key)
        } catch {
            throw settings.wrong(
                "root.key", "must name a file with the P-256 key of the authority's certificate in root.certificate")
        }
    }
}

/// `development-attestation serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Listen (the default).")

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await DevelopmentAttestation.serve(ServiceRuntime(name: "development-attestation", options: options))
    }
}

import FoundationEssentials
import Running
import TLS

/// How the dispatcher authenticates: by a provider token in each request, or by a client certificate.
struct APNsCredentials: Sendable {
    /// The TLS context of new connections.
    enum TLS: Sendable {
        case fixed(TLSContext)
        case reloaded(ReloadedTLS<TLSContext>)

        var current: TLSContext {
            switch self {
            case .fixed(let context): context
            case .reloaded(let tls): tls.current
            }
        }
    }

    let tls: TLS
    /// Nil with a client certificate.
    let tokens: ProviderTokens?

    init(_ settings: Settings, clock: WallClock) throws(ConfigurationProblem) {
        let authorities = settings.optionalString("apns.authorities")
        if settings.optionalString("apns.certificate") != nil {
            guard settings.optionalString("apns.key") == nil else {
                throw settings.wrong(
                    "apns.certificate", "can't be set together with apns.key: a connection has one or the other")
            }
            let files = TLSFiles(
                certificate: try settings.path("apns.certificate"), key: try settings.path("apns.certificateKey"),
                authorities: authorities)
            tls = .reloaded(try ReloadedContext.outsideClient(files, peer: "apns", protocols: ["h2"]))
            tokens = nil
        } else {
            tls = .fixed(try Self.context(trusting: authorities, settings))
            tokens = try Self.tokens(settings, clock: clock)
        }
    }

    private static func tokens(_ settings: Settings, clock: WallClock) throws(ConfigurationProblem) -> ProviderTokens {
        let text = try settings.text("apns.key")
        let team = try settings.string("apns.teamID")
        let keyID = try settings.string("apns.keyID")
        do {
            return try ProviderTokens(team: team, keyID: keyID, privateKey: text, clock: clock)
        } catch {
            switch error {
            case .team: throw settings.wrong("apns.teamID", "must be ten capital letters and digits")
            case .keyID: throw settings.wrong("apns.keyID", "must be ten capital letters and digits")
            case .key:
                throw settings.wrong("apns.key", "must name a file with a P-256 key in PEM, as Apple's .p8 files are")
            }
        }
    }

    private static func context(
        trusting authorities: String?, _ settings: Settings
    ) throws(ConfigurationProblem) -> TLSContext {
        if let authorities { return try TLSFiles.anonymousClient(trusting: authorities, protocols: ["h2"]) }
        do {
            return try TLSFiles.anonymousClient(protocols: ["h2"])
        } catch {
            throw ConfigurationProblem("This machine's certificate authorities can't be read; set apns.authorities.")
        }
    }
}

import FoundationEssentials
import HTTPContract
import OfficerIdentity
import Pages
import Running

/// The identity provider and this portal's registration with it, from the configuration.
struct Provider: Sendable {
    /// The issuer, exactly as tokens name it.
    let issuer: String
    /// The issuer's origin. Officers are redirected to no other.
    let origin: Origin
    /// Our name at the provider (`client_id`).
    let client: String
    /// The scopes of a sign-in.
    let scope: String
    /// The accepted authentication context classes; empty accepts every one.
    let contexts: [String]
    /// How many seconds ago officers may have authenticated; nil for any.
    let maxAge: Int?
    let rolesClaim: RolesClaim
    /// The PEM file of the authorities that may have issued the provider's certificate; nil for the system's.
    let authorities: String?

    /// How far the provider's clock may differ, in seconds.
    static let skew: TimeInterval = 60

    /// The largest answer of the provider that is read, in bytes.
    static let answerLimit = 64 << 10

    init(_ settings: Settings) throws(ConfigurationProblem) {
        issuer = try settings.string("provider.issuer")
        do {
            let host = issuer.dropFirst("https://".count).prefix { $0 != "/" }
            origin = try Origin("https://\(host)")
            _ = try Location(https: issuer)
        } catch {
            throw settings.wrong("provider.issuer", "must be an https address without query, exactly as in tokens")
        }
        client = settings.string("provider.client", default: "health-portal")
        scope = settings.string("provider.scope", default: "openid")
        guard scope.split(separator: " ").contains("openid") else {
            throw settings.wrong("provider.scope", "must contain openid")
        }
        contexts = settings.list("provider.acr")
        maxAge =
            settings.optionalString("provider.maxAge") == nil
            ? nil : try settings.int("provider.maxAge", in: 0...86_400)
        rolesClaim = try RolesClaim(settings, key: "provider.rolesClaim")
        authorities =
            settings.optionalString("provider.authorities") == nil ? nil : try settings.path("provider.authorities")
    }
}

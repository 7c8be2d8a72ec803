package import Crypto
import FoundationEssentials
import Running

/// A program that may ask people to sign in.
package struct Client: Sendable {
    /// How the client proves itself at the token endpoint.
    package enum Credential: Sendable {
        /// A signature of its key: `private_key_jwt` (OpenID Connect Core, section 9).
        case key(P256.Signing.PublicKey)
        /// A shared secret: `client_secret_basic` or `client_secret_post`.
        case secret(String)
    }

    /// Its identifier.
    package let id: String
    /// Where it wants to have people back: exactly these.
    package let redirectURIs: [String]
    /// Where people may go after log-out.
    package let logoutRedirectURIs: [String]
    /// Where it is told that a session has ended; nil for nowhere.
    package let backChannelLogoutURI: String?
    /// Its only way to prove itself.
    package let credential: Credential
    /// The audience of its access tokens, which Keycloak adds by an audience mapper.
    package let audience: String

    /// Creates a client from its parts.
    package init(
        id: String, redirectURIs: [String], logoutRedirectURIs: [String] = [], backChannelLogoutURI: String? = nil,
        credential: Credential, audience: String
    ) {
        self.id = id
        self.redirectURIs = redirectURIs
        self.logoutRedirectURIs = logoutRedirectURIs
        self.backChannelLogoutURI = backChannelLogoutURI
        self.credential = credential
        self.audience = audience
    }

    /// From the settings below `client.NAME`.
    init(_ settings: Settings, name: String) throws {
        func key(_ last: String) -> String { "client.\(name).\(last)" }
        id = name
        redirectURIs = settings.list(key("redirectURIs"))
        guard !redirectURIs.isEmpty else { throw settings.missing(key("redirectURIs")) }
        logoutRedirectURIs = settings.list(key("logoutRedirectURIs"))
        backChannelLogoutURI = settings.optionalString(key("backChannelLogoutURI"))
        audience = settings.string(key("audience"), default: "verification-server")
        if let secret = settings.optionalString(key("secret")) {
            credential = .secret(secret)
        } else {
            let path = try settings.path(key("publicKey"))
            guard let publicKey = try? P256.Signing.PublicKey(pemRepresentation: try settings.text(key("publicKey")))
            else {
                throw settings.wrong(key("publicKey"), "names \(path), which must hold a P-256 public key in PEM")
            }
            credential = .key(publicKey)
        }
    }
}

import CompactJOSE
import Credentials
import Crypto
import FoundationEssentials
import HTTPContract
import Running

/// How the portal proves to the provider's token endpoint who it is.
enum ClientCredential: Sendable {
    /// A token signed with our own key (`private_key_jwt`; OpenID Connect Core 1.0, section 9).
    case key(P256.Signing.PrivateKey)
    /// A shared secret in the field `Authorization` (`client_secret_basic`; RFC 6749, section 2.3.1).
    case secret(String)

    /// From `provider.clientKey` (a PEM file with a P-256 key) or `provider.clientSecret` (a file).
    init(_ settings: Settings) throws(ConfigurationProblem) {
        if settings.optionalString("provider.clientSecret") != nil {
            guard let line = try settings.text("provider.clientSecret").split(separator: "\n").first else {
                throw settings.wrong("provider.clientSecret", "must name a file whose first line is the secret")
            }
            self = .secret(String(line))
        } else {
            let pem = try settings.text("provider.clientKey")
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else {
                throw settings.wrong("provider.clientKey", "must name a PEM file with a P-256 private key")
            }
            self = .key(key)
        }
    }

    /// Adds the proof to a request.
    ///
    /// - Returns: the value of `Authorization`, if there is one.
    func prove(_ provider: Provider, at now: Date, in form: inout URLEncodedValues) throws -> String? {
        form["client_id"] = provider.client
        switch self {
        case .key(let key):
            form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            // Without `kid`: the provider knows one key of ours, and each provider derives its name in another way.
            form["client_assertion"] = try ClientAssertion(provider, at: now).signed(by: key)
            return nil
        case .secret(let secret):
            form["client_id"] = nil
            // Both parts are form-encoded first.
            let parts = [provider.client, secret].map { URLEncodedValues(["": $0]).encoded.dropFirst() }
            return "Basic " + Data(parts.joined(separator: ":").utf8).base64EncodedString()
        }
    }
}

/// The token with which the portal proves who it is, for one request.
///
/// Providers accept a token from the future by a few seconds at most (Keycloak: 15), and no expired one. So it begins before our time, and
/// ends late enough for a clock that differs by ``Provider/skew``.
private struct ClientAssertion: Encodable {
    let iss: String
    let sub: String
    /// The provider's issuer, which is no other server's (OpenID Foundation, security notice of January 2025 on `aud`).
    let aud: String
    let jti: String
    let iat: Int
    let exp: Int

    init(_ provider: Provider, at now: Date) {
        iss = provider.client
        sub = provider.client
        aud = provider.issuer
        jti = [UInt8].random().hex
        iat = Int((now - Provider.skew).timeIntervalSince1970)
        exp = Int((now + 2 * Provider.skew).timeIntervalSince1970)
    }

    /// The token by ES256.
    func signed(by key: P256.Signing.PrivateKey) throws -> String {
        try CompactJWS.text(header: #"{"alg":"ES256","typ":"JWT"}"#.utf8, payload: JSONEncoder().encode(self)) {
            bytes in
            try key.signature(for: bytes).rawRepresentation
        }
    }
}

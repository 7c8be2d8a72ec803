import Crypto
import FoundationEssentials
import HTTPContract
import HTTPTypes
import StrictJSON

/// Finds out which client asks for tokens: by the one method that is registered for it (OpenID Connect Core, section 9).
struct ClientAuthentication {
    let registry: Registry
    let state: ProviderState
    let now: Date

    /// How long an assertion may be valid at most, and how far the client's clock may be ahead, in seconds. It may be behind for
    /// as long as the assertion is valid.
    private static let longest: TimeInterval = 300
    private static let skew: TimeInterval = 15
    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    private struct Assertion: Decodable {
        let iss: String
        let sub: String
        let aud: OneAudience
        let exp: Double
        let jti: String
        let iat: Double?
        let nbf: Double?
    }

    /// Exactly one audience, as Keycloak demands since CVE-2025-27370: a text, or a list with one.
    private struct OneAudience: Decodable {
        let name: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                name = one
                return
            }
            let names = try container.decode([String].self)
            guard names.count == 1 else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not one audience")
            }
            name = names[0]
        }
    }

    /// - Throws: `.invalidClient`, and `.invalidRequest` if the request uses two methods at once.
    func client(of form: URLEncodedValues, authorization: String?) throws(TokenError) -> Client {
        let methods = [authorization, form["client_secret"], form["client_assertion"]].compactMap(\.self)
        guard methods.count <= 1 else { throw .invalidRequest }
        if let authorization {
            return try client(basic: authorization, form)
        } else if let secret = form["client_secret"] {
            return try client(id: form["client_id"], secret: secret)
        } else if let assertion = form["client_assertion"] {
            return try client(asserting: assertion, form)
        }
        throw .invalidClient
    }

    private func client(basic field: String, _ form: URLEncodedValues) throws(TokenError) -> Client {
        let parts = field.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":"),
            // Both are form-encoded before they are joined (RFC 6749, section 2.3.1).
            let id = Self.decoded(text[..<colon]), let secret = Self.decoded(text[text.index(after: colon)...]),
            form["client_id"] == nil || form["client_id"] == id
        else { throw .invalidClient }
        return try client(id: id, secret: secret)
    }

    private static func decoded(_ text: Substring) -> String? {
        text.contains("&") ? nil : (try? URLEncodedValues(decoding: "value=\(text)"))?["value"]
    }

    private func client(id: String?, secret: String) throws(TokenError) -> Client {
        guard let client = registry.client(id), case .secret(let expected) = client.credential,
            Array(SHA256.hash(data: Data(expected.utf8))) == Array(SHA256.hash(data: Data(secret.utf8)))
        else { throw .invalidClient }
        return client
    }

    private func client(asserting text: String, _ form: URLEncodedValues) throws(TokenError) -> Client {
        // The client's name is needed before its key is; a wrong one fails with the signature.
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        struct Name: Decodable {
            let sub: String
        }
        guard form["client_assertion_type"] == Self.assertionType, parts.count == 3,
            let bytes = Base64URL.bytes(parts[1]),
            let name = try? StrictJSON.decode(Name.self, from: Data(bytes)),
            let client = registry.client(name.sub), case .key(let key) = client.credential,
            form["client_id"] == nil || form["client_id"] == client.id,
            let claims = JSONWebToken(text)?.claims(signedBy: key, as: Assertion.self)
        else { throw .invalidClient }
        let seconds = now.timeIntervalSince1970
        guard claims.iss == client.id, claims.sub == client.id,
            [registry.issuer, registry.issuer + "/token"].contains(claims.aud.name),
            claims.exp > seconds, claims.exp - (claims.iat ?? seconds) <= Self.longest,
            claims.iat ?? 0 <= seconds + Self.skew, claims.nbf ?? 0 <= seconds + Self.skew, !claims.jti.isEmpty
        else { throw .invalidClient }
        let assertion = "\(client.id) \(claims.jti)"
        let isNew = state.with { contents in
            guard contents.assertions[assertion] == nil else { return false }
            contents.assertions[assertion] = Date(timeIntervalSince1970: claims.exp)
            return true
        }
        guard isNew else { throw .invalidClient }
        return client
    }
}

import FoundationEssentials
import HTTPContract

/// A client's request that somebody signs in (OpenID Connect Core, section 3.1.2.1; RFC 7636, section 4.3).
struct AuthorizationRequest: Sendable {
    let client: Client
    let redirectURI: String
    let scope: String
    let state: String
    let nonce: String
    /// The SHA-256 hash of the code verifier, in base 64.
    let challenge: String
    let prompt: Set<String>
    /// How many seconds ago people may have signed in at most.
    let maxAge: Int?
    let words: Words

    /// Why a request is refused.
    enum Refusal: Error {
        /// Neither client nor address are known to be good: the page tells the person, and nobody is sent anywhere.
        case page
        /// The client is told.
        case client(RedirectedError)
    }

    /// An error for the client, with what it needs to recognise it.
    struct RedirectedError {
        let redirectURI: String
        let error: String
        let description: String
        let state: String?
    }

    private static let knownScopes: Set = ["openid", "profile"]
    private static let prompts: Set = ["none", "login", "consent", "select_account"]

    init(_ values: URLEncodedValues, registry: Registry) throws(Refusal) {
        guard let client = registry.client(values["client_id"]), let redirectURI = values["redirect_uri"],
            client.redirectURIs.contains(redirectURI)
        else { throw .page }
        let state = values["state"]
        func refusal(_ error: String, _ description: String) -> Refusal {
            .client(RedirectedError(redirectURI: redirectURI, error: error, description: description, state: state))
        }
        guard values["response_type"] == "code" else {
            throw refusal("unsupported_response_type", "response_type must be code")
        }
        for (name, error) in [
            ("request", "request_not_supported"), ("request_uri", "request_uri_not_supported"),
            ("registration", "registration_not_supported"),
        ] where values[name] != nil {
            throw refusal(error, "\(name) isn't supported")
        }
        guard values["response_mode"] ?? "query" == "query" else {
            throw refusal("invalid_request", "response_mode must be query")
        }
        let scopes = Set((values["scope"] ?? "").split(separator: " ").map { String($0) })
        guard scopes.contains("openid"), scopes.isSubset(of: Self.knownScopes) else {
            throw refusal("invalid_scope", "scope must contain openid, and nothing unknown")
        }
        guard let state, !state.isEmpty else { throw refusal("invalid_request", "state is missing") }
        guard let nonce = values["nonce"], !nonce.isEmpty else { throw refusal("invalid_request", "nonce is missing") }
        guard let challenge = values["code_challenge"] else {
            throw refusal("invalid_request", "Missing parameter: code_challenge_method")
        }
        guard values["code_challenge_method"] == "S256", Base64URL.bytes(challenge)?.count == 32 else {
            throw refusal("invalid_request", "code_challenge must be of method S256")
        }
        let prompt = Set((values["prompt"] ?? "").split(separator: " ").map { String($0) })
        guard prompt.isSubset(of: Self.prompts), !prompt.contains("none") || prompt.count == 1 else {
            throw refusal("invalid_request", "prompt is unknown or contradicts itself")
        }
        let maxAge = values["max_age"].map { Int($0) ?? -1 }
        guard maxAge ?? 0 >= 0 else { throw refusal("invalid_request", "max_age must be a number of seconds") }
        self.client = client
        self.redirectURI = redirectURI
        // Keycloak adds its default scopes, whatever a client wants.
        self.scope = scopes.union(["profile"]).sorted().joined(separator: " ")
        self.state = state
        self.nonce = nonce
        self.challenge = challenge
        self.prompt = prompt
        self.maxAge = maxAge
        words = Words.preferred(values["ui_locales"])
    }
}

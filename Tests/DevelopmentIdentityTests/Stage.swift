import Crypto
import DevelopmentIdentity
import DevelopmentIdentityAPI
import Foundation
import HTTPContract
import OfficerIdentity
import Running
import Serving
import Synchronization
import TestSupport

/// A provider with two clients, and a browser with its cookies.
final class Stage: Sendable {
    static let issuer = "https://identity.test"
    static let redirectURI = "https://portal.test/callback"
    static let logoutURI = "https://portal.test/signed-out"
    static let verifier = "0123456789-0123456789-0123456789-0123456789"

    let clock = ManualClock(Date(timeIntervalSince1970: 1_900_000_000))
    let clientKey = P256.Signing.PrivateKey()
    let providerKey = P256.Signing.PrivateKey()
    /// The log-out tokens that the portal was sent.
    let told = Mutex<[String]>([])
    private let base = Mutex("")
    private let cookies = Mutex<[String: String]>([:])

    /// Runs the provider while `body` uses it.
    static func with(_ body: (Stage) async throws -> Void) async throws {
        let stage = Stage()
        let provider = try IdentityProvider(stage.registry, clock: stage.clock.clock) { address, token in
            guard address == "https://portal.test/backchannel-logout" else { return nil }
            stage.told.withLock { $0.append(token) }
            return 200
        }
        let listener = Listener(name: "listen", host: "127.0.0.1", port: 0, security: .plain) { routes in
            provider.mount(on: &routes)
            provider.mountControl(on: &routes)
        }
        try await withService(listeners: [listener], clock: stage.clock.clock) { _ in
            let port = try await listener.boundPort
            stage.base.withLock { $0 = "http://127.0.0.1:\(port)" }
            try await body(stage)
        }
    }

    private var registry: Registry {
        get throws {
            let point = providerKey.publicKey.x963Representation.dropFirst()
            let (x, y) = (Self.base64URL(point.prefix(32)), Self.base64URL(point.suffix(32)))
            let set =
                #"{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","use":"sig","kid":"k1","x":"\#(x)","y":"\#(y)"}]}"#
            guard let key = SigningKey(providerKey, published: set) else { throw Missing() }
            return Registry(
                issuer: Self.issuer, key: key,
                clients: [
                    Client(
                        id: "portal", redirectURIs: [Self.redirectURI], logoutRedirectURIs: [Self.logoutURI],
                        backChannelLogoutURI: "https://portal.test/backchannel-logout",
                        credential: .key(clientKey.publicKey), audience: "verification-server"),
                    Client(
                        id: "other", redirectURIs: ["https://other.test/callback"], credential: .secret("s:cret/+"),
                        audience: "somewhere"),
                ])
        }
    }

    static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    // MARK: Browser

    func get(_ path: String, _ query: [String: String] = [:]) async throws -> Answer {
        try await request(.GET, query.isEmpty ? path : "\(path)?\(URLEncodedValues(query).encoded)", nil, headers: [])
    }

    func submit(
        _ path: String, _ form: [String: String], headers: [(String, String)] = []
    ) async throws -> Answer {
        try await request(.POST, path, URLEncodedValues(form).encoded, headers: headers)
    }

    /// Another browser from now on.
    func forgetCookies() { cookies.withLock { $0 = [:] } }

    func request(
        _ method: HTTPMethod, _ path: String, _ body: String?, headers: [(String, String)],
        type: String = "application/x-www-form-urlencoded"
    ) async throws -> Answer {
        var headers = headers
        let jar = cookies.withLock { $0 }
        if !jar.isEmpty { headers.append(("cookie", jar.map { "\($0)=\($1)" }.joined(separator: "; "))) }
        if body != nil { headers.append(("content-type", type)) }
        let answer = try await send(method, base.withLock { $0 } + path, headers: headers, body: body)
        for field in answer.fields["set-cookie"] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = String(pair[1])
            cookies.withLock { $0[String(pair[0])] = value.isEmpty ? nil : value }
        }
        return answer
    }

    func control(_ path: String, _ body: String) async throws -> Answer {
        try await request(.POST, "/version/v1/\(path)", body, headers: [], type: "application/json")
    }

    // MARK: Signing in

    /// A correct request of the portal.
    static let authorization: [String: String] = [
        "client_id": "portal", "redirect_uri": redirectURI, "response_type": "code", "scope": "openid profile",
        "state": "st-1", "nonce": "n-1", "code_challenge_method": "S256",
        "code_challenge": base64URL(SHA256.hash(data: Data(verifier.utf8))),
    ]

    static func number(in page: Answer) throws -> String {
        guard let match = page.body.firstMatch(of: /name="number" value="([^"]+)"/) else { throw Missing() }
        return String(match.1)
    }

    func oneTimeCode(_ user: DevelopmentUser) async throws -> String {
        let answer = try await control("one-time-code", #"{"user":"\#(user.rawValue)","forgetsUsed":true}"#)
        return try JSONDecoder().decode([String: String].self, from: Data(answer.body.utf8))["code"] ?? ""
    }

    /// Signs somebody in, in a new browser.
    /// - Returns: the last answer, which leads back to the client.
    func signIn(
        _ user: DevelopmentUser = .officer, _ request: [String: String] = authorization
    ) async throws -> Answer {
        forgetCookies()
        let number = try Self.number(in: try await get("/authorize", request))
        let second = try await submit(
            "/log-in", ["number": number, "user": user.rawValue, "password": DevelopmentUser.password])
        return try await submit(
            "/second-factor", ["number": try Self.number(in: second), "code": try await oneTimeCode(user)])
    }

    /// The number of a sign-in whose password was right.
    func afterPassword() async throws -> String {
        let number = try Self.number(in: try await get("/authorize", Self.authorization))
        let form = ["number": number, "user": "officer", "password": DevelopmentUser.password]
        return try Self.number(in: try await submit("/log-in", form))
    }

    static func query(of answer: Answer) throws -> URLEncodedValues {
        guard let location = answer.fields["location"].first else { throw Missing() }
        return try URLEncodedValues(decoding: location.drop { $0 != "?" }.dropFirst())
    }

    // MARK: Tokens

    /// How the portal proves who it is.
    func asserting(_ assertion: String) -> [String: String] {
        [
            "client_assertion": assertion,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ]
    }

    /// What the portal sends for a code, with changes.
    func exchange(_ code: String, _ changes: [String: String?] = [:]) async throws -> Answer {
        var form = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirectURI,
            "code_verifier": Self.verifier,
        ].merging(asserting(try assertion())) { $1 }
        for (name, value) in changes { form[name] = value }
        return try await submit("/token", form)
    }

    func refresh(_ token: String, _ changes: [String: String] = [:]) async throws -> Answer {
        let form = ["grant_type": "refresh_token", "refresh_token": token].merging(asserting(try assertion())) { $1 }
        return try await submit("/token", form.merging(changes) { $1 })
    }

    /// The portal's proof, with changes.
    func assertion(
        _ changes: [String: Any] = [:], header: String = #"{"alg":"ES256","typ":"JWT"}"#,
        key: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        let now = Int(clock.now.timeIntervalSince1970)
        var claims: [String: Any] = [
            "iss": "portal", "sub": "portal", "aud": Self.issuer, "exp": now + 60, "iat": now,
            "jti": UUID().uuidString,
        ]
        for (name, value) in changes { claims[name] = value is NSNull ? nil : value }
        let body = try JSONSerialization.data(withJSONObject: claims)
        let text = "\(Self.base64URL(Data(header.utf8))).\(Self.base64URL(body))"
        let signature = try (key ?? clientKey).signature(for: Data(text.utf8))
        return "\(text).\(Self.base64URL(signature.rawRepresentation))"
    }

    /// A code of somebody who has just signed in.
    func code(_ user: DevelopmentUser = .officer) async throws -> String {
        try Self.query(of: try await signIn(user))["code"] ?? ""
    }

    /// Signs in and exchanges the code.
    func tokens(_ user: DevelopmentUser = .officer) async throws -> TokenAnswer {
        try TokenAnswer(try await exchange(try await code(user)))
    }

    /// The claims of a token, once the modules by which services verify officers' tokens have accepted it.
    func verified(_ token: String) async throws -> AnyClaims {
        let keys = ProviderKeySet(json: Data(try await get("/keys").body.utf8))
        guard let read = SignedToken<AnyClaims>(token), keys?.verify(read) == true else { throw Missing() }
        return read.claims
    }
}

struct Missing: Error {}

struct TokenAnswer: Decodable {
    let access: String
    let refresh: String
    let id: String
    let expiresIn: Int

    enum CodingKeys: String, CodingKey {
        case access = "access_token"
        case refresh = "refresh_token"
        case id = "id_token"
        case expiresIn = "expires_in"
    }

    init(_ answer: Answer) throws {
        self = try JSONDecoder().decode(TokenAnswer.self, from: Data(answer.body.utf8))
    }
}

extension Answer {
    /// The error of the token endpoint.
    var error: String? {
        (try? JSONDecoder().decode([String: String].self, from: Data(body.utf8)))?["error"]
    }
}

/// The claims of all kinds of tokens.
struct AnyClaims: Decodable, Sendable {
    struct RealmAccess: Decodable {
        let roles: [String]
    }

    let iss: String
    let aud: Audience
    let sub: String
    let exp: Int
    let iat: Int
    let jti: String
    let typ: String?
    let azp: String?
    let sid: String?
    let acr: String?
    let nonce: String?
    let name: String?
    let auth_time: Int?
    let at_hash: String?
    let realm_access: RealmAccess?
    let events: [String: [String: String]]?
}

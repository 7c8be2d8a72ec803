import Crypto
import Foundation
import HTTPContract
import HTTPTypes
import Serving
import Synchronization
import TestSupport

/// An identity provider as a real TLS server. It refuses what Keycloak refuses, and lies in every way that a test asks for.
final class TestProvider: Sendable {
    /// How a token is signed.
    enum Signature: Sendable {
        case right, foreign, none
        /// HS256 with the public key as the secret.
        case publicKey
    }

    /// What the token endpoint does.
    enum TokenEndpoint: Sendable {
        case works, silence, huge, redirects
        /// Carries the request out, and answers later.
        case late(Duration)
        /// Says that the portal isn't in order, by this error.
        case refuses(String)
        case status(HTTPResponse.Status)
        case says(String)
    }

    /// What the portal asks of it.
    enum Call: CaseIterable, Sendable {
        case discovery, keys, code, refresh, push
    }

    struct Behaviour: Sendable {
        /// What it answers to some calls instead.
        var answers: [Call: OutsideAnswer] = [:]
        var tokens = TokenEndpoint.works
        /// Changes the claims of ID tokens; values are JSON.
        var idToken: @Sendable (inout [String: String]) -> Void = { _ in }
        var accessToken: @Sendable (inout [String: String]) -> Void = { _ in }
        var header = #"{"alg":"ES256","typ":"JWT","kid":"one"}"#
        var signature = Signature.right
        /// Changes the discovery document; values are JSON.
        var discovery: @Sendable (inout [String: String]) -> Void = { _ in }
        /// Seconds for which access tokens are valid.
        var lifetime = 300.0
        var rotatesRefreshTokens = true
        /// By how many seconds its clock is ahead of the portal's.
        var clockAhead = 0.0
        /// Whether it takes authorization requests beforehand (RFC 9126); then it takes no other.
        var takesPushed = false
        /// Whether its keys name no algorithm.
        var omitsAlgorithms = false
    }

    struct Officer: Sendable {
        var subject = "officer-1"
        var name = "Ada Lovelace"
        var roles = ["c19hotline", "c19hotline_event"]
        var session = "session-1"
    }

    private struct Grant: Sendable {
        let officer: Officer
        let nonce: String
        let challenge: String
        let redirect: String
    }

    private struct State: Sendable {
        var behaviour = Behaviour()
        var codes: [String: Grant] = [:]
        var refreshTokens: [String: Grant] = [:]
        var codeCalls = 0
        var refreshCalls = 0
        var pushed: [String: URLEncodedValues] = [:]
        /// The published keys by name, and the name of the one that signs.
        var keys: [String: P256.Signing.PrivateKey] = [:]
        var current = "one"
        var unpublished: Set<String> = []
    }

    let clock: ManualClock
    let port = TestPort.free()
    /// Holds answers to refreshes until it is opened.
    let gate: Gate?
    /// Holds late answers until the provider ends.
    private let late = Gate()
    private let certificates: TestCertificates
    private let foreign = P256.Signing.PrivateKey()
    private let client: P256.Signing.PublicKey
    private let state = Mutex(State())

    /// - Parameter client: the portal's key, registered here.
    init(_ certificates: TestCertificates, client: P256.Signing.PublicKey, clock: ManualClock, gate: Gate? = nil) {
        self.certificates = certificates
        self.client = client
        self.clock = clock
        self.gate = gate
        state.withLock { $0.keys["one"] = P256.Signing.PrivateKey() }
    }

    /// Signs with a new key from now on.
    ///
    /// - Parameter isPublished: false if the key set doesn't have it yet.
    func rotate(isPublished: Bool = true) {
        state.withLock { state in
            state.current = "key-\(state.keys.count)"
            let key = P256.Signing.PrivateKey()
            state.keys[state.current] = key
            if !isPublished { state.unpublished.insert(state.current) }
            state.behaviour.header = #"{"alg":"ES256","typ":"JWT","kid":"\#(state.current)"}"#
        }
    }

    private var key: P256.Signing.PrivateKey { state.withLock { $0.keys[$0.current] ?? foreign } }

    var issuer: String { "https://localhost:\(port)/realms/health" }

    /// The calls of the token endpoint, by kind.
    var codeCalls: Int { state.withLock { $0.codeCalls } }
    var refreshCalls: Int { state.withLock { $0.refreshCalls } }

    func behave(_ change: @Sendable (inout Behaviour) -> Void) {
        state.withLock { change(&$0.behaviour) }
    }

    /// Ends all refresh tokens.
    func endSessions() {
        state.withLock { $0.refreshTokens = [:] }
    }

    /// Runs while the body runs.
    func run<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        let listener = Listener(
            name: "identity", host: "127.0.0.1", port: port,
            security: .publicTLS(try certificates.files(role: nil))
        ) { routes in
            routes.on(.get, "/realms/health/.well-known/openid-configuration") { _ in
                try await self.respond(to: .discovery) { Self.json(self.discovery) }
            }
            routes.on(.get, "/realms/health/keys") { _ in
                try await self.respond(to: .keys) { Self.json(self.keySet) }
            }
            routes.on(.post, "/realms/health/par") { exchange in
                let body = try await exchange.body(upTo: 16 << 10)
                let form = try URLEncodedValues(decoding: String(decoding: body, as: UTF8.self))
                return try await self.respond(to: .push) { self.push(form) }
            }
            routes.on(.post, "/realms/health/token") { exchange in
                let body = try await exchange.body(upTo: 16 << 10)
                let form = try URLEncodedValues(decoding: String(decoding: body, as: UTF8.self))
                return try await self.respond(to: form["grant_type"] == "refresh_token" ? .refresh : .code) {
                    try await self.token(form)
                }
            }
        }
        return try await withService(listeners: [listener]) { _ in
            defer { late.open() }
            return try await body()
        }
    }

    private func respond(to call: Call, _ answer: () async throws -> Response) async throws -> Response {
        switch state.withLock({ $0.behaviour.answers[call] }) {
        case .refusedWithReason: return Self.refusal("unauthorized_client")
        case .refusedWithoutReason: return Response(status: .forbidden)
        case .lateButDone:
            let made = try await answer()
            await late.pass()
            return made
        case .addedField:
            var made = try await answer()
            if let name = HTTPField.Name("x-added-later") { made.headers[name] = "1" }
            let text = String(decoding: made.body.bytes, as: UTF8.self)
            made.body = ResponseBody(Array(text.replacing(#"{""#, with: #"{"added_later":[1],""#).utf8))
            return made
        case .clockAhead, .clockBehind, nil: return try await answer()
        }
    }

    // MARK: Authorization

    /// An officer signs in at the address that the portal sent the browser to.
    ///
    /// - Returns: the query with which the browser returns.
    func authorize(_ location: String, as officer: Officer = Officer()) throws -> [String: String] {
        let parts = location.split(separator: "?", maxSplits: 1)
        var query = try URLEncodedValues(decoding: parts.count == 2 ? parts[1] : "")
        if self.state.withLock({ $0.behaviour.takesPushed }) {
            // Nothing else of the request is in the address.
            guard query["client_id"] == "health-portal", query["state"] == nil, query["nonce"] == nil,
                let pushed = self.state.withLock({ $0.pushed.removeValue(forKey: query["request_uri"] ?? "") })
            else { throw WrongRequest() }
            query = pushed
        }
        guard parts.first.map(String.init) == "\(issuer)/auth", query["response_type"] == "code",
            query["client_id"] == "health-portal", query["code_challenge_method"] == "S256",
            let scope = query["scope"], scope.split(separator: " ").contains("openid"),
            let state = query["state"], let nonce = query["nonce"], let challenge = query["code_challenge"],
            let redirect = query["redirect_uri"]
        else { throw WrongRequest() }
        let code = UUID().uuidString
        self.state.withLock {
            $0.codes[code] = Grant(officer: officer, nonce: nonce, challenge: challenge, redirect: redirect)
        }
        return ["code": code, "state": state, "iss": issuer, "session_state": officer.session]
    }

    struct WrongRequest: Error {}

    // MARK: Answers

    private var discovery: String {
        var members = [
            "issuer": "\"\(issuer)\"", "authorization_endpoint": "\"\(issuer)/auth\"",
            "token_endpoint": "\"\(issuer)/token\"", "jwks_uri": "\"\(issuer)/keys\"",
            "end_session_endpoint": "\"\(issuer)/logout\"", "authorization_response_iss_parameter_supported": "true",
        ]
        let behaviour = state.withLock { $0.behaviour }
        if behaviour.takesPushed { members["pushed_authorization_request_endpoint"] = "\"\(issuer)/par\"" }
        behaviour.discovery(&members)
        return Self.object(members)
    }

    private var keySet: String {
        let (keys, omits) = state.withLock { state in
            (state.keys.filter { !state.unpublished.contains($0.key) }, state.behaviour.omitsAlgorithms)
        }
        let entries = keys.map { name, key in
            let point = key.publicKey.rawRepresentation
            return """
                {"kty":"EC","crv":"P-256",\(omits ? "" : #""alg":"ES256","#)"use":"sig","kid":"\(name)",\
                "x":"\(Self.base64URL(point.prefix(32)))","y":"\(Self.base64URL(point.suffix(32)))"}
                """
        }
        return "{\"keys\":[\(entries.joined(separator: ","))]}"
    }

    /// Takes an authorization request of the portal (RFC 9126).
    private func push(_ form: URLEncodedValues) -> Response {
        if case .refuses(let error) = state.withLock({ $0.behaviour.tokens }) { return Self.refusal(error) }
        guard isOurClient(form), form["client_id"] == "health-portal" else { return Self.refusal("invalid_client") }
        let address = "urn:ietf:params:oauth:request_uri:\(UUID().uuidString)"
        state.withLock { $0.pushed[address] = form }
        return Self.json(#"{"request_uri":"\#(address)","expires_in":60}"#, .created)
    }

    private static func refusal(_ error: String) -> Response {
        json(#"{"error":"\#(error)","error_description":"Officer Ada isn't known"}"#, .unauthorized)
    }

    private func token(_ form: URLEncodedValues) async throws -> Response {
        if case .late(let time) = state.withLock({ $0.behaviour.tokens }) {
            let answer = try await answer(form)
            try await Task.sleep(for: time)
            return answer
        }
        return try await answer(form)
    }

    private func answer(_ form: URLEncodedValues) async throws -> Response {
        let isRefresh = form["grant_type"] == "refresh_token"
        let behaviour = state.withLock { state in
            if isRefresh { state.refreshCalls += 1 } else { state.codeCalls += 1 }
            return state.behaviour
        }
        switch behaviour.tokens {
        case .works, .late: break
        case .refuses(let error): return Self.refusal(error)
        case .silence:
            try await Task.sleep(for: .seconds(60))
            return Response(status: .ok)
        case .huge: return Self.json("{\"access_token\":\"" + String(repeating: "a", count: 1 << 20) + "\"}")
        case .redirects: return Response(status: .temporaryRedirect, headers: [.location: "/realms/health/elsewhere"])
        case .status(let status): return Response(status: status)
        case .says(let text): return Self.json(text)
        }
        guard isOurClient(form) else { return Self.json(#"{"error":"invalid_client"}"#, .unauthorized) }
        if isRefresh {
            await gate?.pass()
            let grant = state.withLock { state in
                let token = form["refresh_token"] ?? ""
                return behaviour.rotatesRefreshTokens
                    ? state.refreshTokens.removeValue(forKey: token) : state.refreshTokens[token]
            }
            guard let grant else { return Self.json(#"{"error":"invalid_grant"}"#, .badRequest) }
            return try tokens(grant, behaviour, nonce: nil)
        }
        let grant = state.withLock { $0.codes.removeValue(forKey: form["code"] ?? "") }
        guard form["grant_type"] == "authorization_code", let grant, grant.redirect == form["redirect_uri"],
            let verifier = form["code_verifier"],
            Self.base64URL(Data(SHA256.hash(data: Data(verifier.utf8)))) == grant.challenge
        else { return Self.json(#"{"error":"invalid_grant"}"#, .badRequest) }
        return try tokens(grant, behaviour, nonce: grant.nonce)
    }

    private func tokens(_ grant: Grant, _ behaviour: Behaviour, nonce: String?) throws -> Response {
        let officer = grant.officer
        let now = Int(clock.now.timeIntervalSince1970 + behaviour.clockAhead)
        let common = [
            "iss": "\"\(issuer)\"", "sub": Self.quoted(officer.subject), "iat": "\(now)",
            "exp": "\(now + Int(behaviour.lifetime))", "sid": Self.quoted(officer.session),
        ]
        var access = common
        access["aud"] = #"["verification-server"]"#
        access["jti"] = "\"\(UUID().uuidString)\""
        access["realm_access"] = "{\"roles\":[\(officer.roles.map(Self.quoted).joined(separator: ","))]}"
        behaviour.accessToken(&access)
        let accessToken = try token(access, behaviour.header, .right)
        var id = common
        id["aud"] = #""health-portal""#
        id["name"] = Self.quoted(officer.name)
        id["nonce"] = nonce.map(Self.quoted)
        id["at_hash"] = "\"\(Self.base64URL(Data(SHA256.hash(data: Data(accessToken.utf8)).prefix(16))))\""
        behaviour.idToken(&id)
        let refreshToken = UUID().uuidString
        state.withLock { $0.refreshTokens[refreshToken] = grant }
        return Self.json(
            Self.object([
                "access_token": "\"\(accessToken)\"", "token_type": "\"Bearer\"",
                "id_token": "\"\(try token(id, behaviour.header, behaviour.signature))\"",
                "refresh_token": "\"\(refreshToken)\"",
            ]))
    }

    private func isOurClient(_ form: URLEncodedValues) -> Bool {
        struct Claims: Decodable {
            let iss: String
            let sub: String
            let aud: String
            let jti: String
            let exp: Double
            let iat: Double
        }
        guard
            form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            let parts = form["client_assertion"]?.split(separator: ".").map(String.init), parts.count == 3,
            let body = Self.data(parts[1]), let proof = Self.data(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: proof),
            client.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)),
            let claims = try? JSONDecoder().decode(Claims.self, from: body)
        else { return false }
        let now = clock.now.timeIntervalSince1970 + state.withLock { $0.behaviour.clockAhead }
        // What Keycloak 26.7 does with a time of the future, and with one that has passed.
        guard claims.iat <= now + 15, claims.exp - claims.iat <= 300 else { return false }
        return claims.iss == "health-portal" && claims.sub == "health-portal" && claims.aud == issuer
            && !claims.jti.isEmpty && claims.exp > now
    }

    // MARK: Tokens

    /// A log-out token; values are JSON.
    func logOutToken(
        header: String = #"{"alg":"ES256","typ":"logout+jwt","kid":"one"}"#, signature: Signature = .right,
        _ change: (inout [String: String]) -> Void = { _ in }
    ) throws -> String {
        let now = Int(clock.now.timeIntervalSince1970)
        var claims = [
            "iss": "\"\(issuer)\"", "aud": #""health-portal""#, "iat": "\(now)", "exp": "\(now + 120)",
            "jti": "\"\(UUID().uuidString)\"", "sid": #""session-1""#, "sub": #""officer-1""#,
            "events": #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#,
        ]
        change(&claims)
        return try token(claims, header, signature)
    }

    /// An access token that a contact tracing system got for itself; values are JSON.
    func clientToken(
        header: String = #"{"alg":"ES256","typ":"at+jwt","kid":"one"}"#, signature: Signature = .right,
        _ change: (inout [String: String]) -> Void = { _ in }
    ) throws -> String {
        let now = Int(clock.now.timeIntervalSince1970)
        var claims = [
            "iss": "\"\(issuer)\"", "sub": #""contact-tracing""#, "aud": #"["health-portal"]"#, "iat": "\(now)",
            "exp": "\(now + 3600)", "jti": "\"\(UUID().uuidString)\"", "scope": #""profile trace-keys""#,
        ]
        change(&claims)
        return try token(claims, header, signature)
    }

    private func token(_ claims: [String: String], _ header: String, _ signature: Signature) throws -> String {
        let signed = "\(Self.base64URL(Data(header.utf8))).\(Self.base64URL(Data(Self.object(claims).utf8)))"
        let input = Data(signed.utf8)
        let proof =
            switch signature {
            case .right: try key.signature(for: input).rawRepresentation
            case .foreign: try foreign.signature(for: input).rawRepresentation
            case .none: Data()
            case .publicKey:
                Data(
                    HMAC<SHA256>.authenticationCode(
                        for: input, using: SymmetricKey(data: Data(key.publicKey.pemRepresentation.utf8))))
            }
        return "\(signed).\(Self.base64URL(proof))"
    }

    private static func object(_ members: [String: String]) -> String {
        "{\(members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
    }

    /// A JSON string.
    static func quoted(_ text: String) -> String {
        (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    private static func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"], text: text)
    }

    private static func base64URL(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func data(_ text: String) -> Data? {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
}

import Foundation
import HTTPTypes
import Serving
import Synchronization
import TestSupport

/// An identity provider as a real server: it publishes keys at Keycloak's path, or fails to.
final class OfficerKeyServer: Sendable {
    enum Answer: Sendable {
        case keys(String)
        case status(HTTPResponse.Status)
        /// 403 with an error in the form of OAuth (RFC 6749, section 5.2).
        case refused
        /// To a place where the keys are.
        case redirect(String)
        /// The keys, with more space around them than anybody should read.
        case huge(String)
        /// Never.
        case silence
        /// The keys but for the last byte, which never comes.
        case almost(String)
    }

    private static let path = "/realms/health/protocol/openid-connect/certs"

    private let certificates: TestCertificates
    private let port = TestPort.free()
    private let answer: Mutex<Answer>
    private let count = Mutex(0)

    init(_ answer: Answer) throws {
        certificates = try TestCertificates()
        self.answer = Mutex(answer)
    }

    /// The number of requests.
    var questions: Int { count.withLock { $0 } }

    /// The settings of a verification server that trusts it.
    var settings: [String: String] {
        [
            "officers.keys": "https://localhost:\(port)\(Self.path)",
            "officers.authorities": "\(certificates.directory)/authority.pem",
        ]
    }

    /// The same over plain HTTP, for ``run(plain:_:)``.
    var plainSettings: [String: String] { ["officers.keys": "http://127.0.0.1:\(port)\(Self.path)"] }

    /// Sets the answer from now on.
    func set(_ answer: Answer) {
        self.answer.withLock { $0 = answer }
    }

    /// Runs while the body runs.
    func run<R: Sendable>(plain: Bool = false, _ body: () async throws -> R) async throws -> R {
        let security: Listener.Security = plain ? .plain : .publicTLS(try certificates.files(role: nil))
        let listener = Listener(name: "identity", host: "127.0.0.1", port: port, security: security) { routes in
            routes.on(.get, Self.path) { _ in
                self.count.withLock { $0 += 1 }
                return try await self.response()
            }
            routes.on(.get, "/elsewhere") { _ in
                guard case .redirect(let keys) = self.answer.withLock({ $0 }) else {
                    return Response(status: .notFound)
                }
                return Self.json(keys)
            }
        }
        return try await withService(listeners: [listener]) { _ in try await body() }
    }

    private func response() async throws -> Response {
        switch answer.withLock({ $0 }) {
        case .keys(let keys): return Self.json(keys)
        case .status(let status): return Response(status: status)
        case .refused:
            return Response(
                status: .forbidden, headers: [.contentType: "application/json"],
                text: #"{"error":"access_denied","error_description":"this network may not read keys"}"#)
        case .redirect: return Response(status: .found, headers: [.location: "/elsewhere"])
        case .huge(let keys): return Self.json(keys + String(repeating: " ", count: 256 << 10))
        case .silence:
            try await Task.sleep(for: .seconds(60))
            return Response(status: .ok)
        case .almost(let keys):
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody { writer in
                    try await writer.write(Array(keys.utf8.dropLast()))
                    try await Task.sleep(for: .seconds(60))
                    writer.finish()
                })
        }
    }

    private static func json(_ text: String) -> Response {
        Response(status: .ok, headers: [.contentType: "application/json"], text: text)
    }
}

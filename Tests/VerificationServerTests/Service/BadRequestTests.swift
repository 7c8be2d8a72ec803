import Credentials
import Foundation
import HTTPContract
import HTTPTypes
import Serving
import TestSupport
import Testing
import VerificationAPI

@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct BadRequestTests {
    private enum Listener: Sendable, CaseIterable {
        case app, `internal`, portal
    }

    private static let routes: [(listener: Listener, route: Route)] = [
        (.app, VerificationAPI.registrationToken.route), (.app, VerificationAPI.testResult.route),
        (.app, VerificationAPI.tan.route), (.internal, VerificationAPI.reservations.route),
        (.internal, VerificationAPI.confirmations.route), (.portal, VerificationAPI.teleTAN.route),
        (.internal, VerificationAPI.tanVerification.route), (.portal, VerificationAPI.certificateResult.route),
    ]

    private func send<R>(
        to listener: Listener, as role: Role?, on stage: VerificationStage, _ body: (RawClient) async throws -> R
    ) async throws -> R {
        switch listener {
        case .app: try await stage.raw(role, body)
        case .internal: try await stage.rawInternal(role, body)
        case .portal: try await stage.rawPortal(role, body)
        }
    }

    @Test("a certificate allows the routes of its role and no other")
    func roles() async throws {
        try await VerificationStage.run { stage in
            for role in Role.allCases.map(Optional.some) + [nil] {
                for listener in Listener.allCases {
                    try await send(to: listener, as: role, on: stage) { client in
                        for (_, route) in Self.routes.filter({ $0.listener == listener }) {
                            let answer = try await client.post(route.path, "{}")
                            let isAllowed = role.map(route.callers.contains) ?? false
                            #expect((answer.status == 403) == !isAllowed, "\(role?.rawValue ?? "-") \(route.path)")
                            #expect(answer.body.isEmpty)
                        }
                    }
                }
            }
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test("each listener answers its own routes only")
    func listeners() async throws {
        try await VerificationStage.run { stage in
            for (listener, route) in Self.routes {
                for (other, role) in Listener.allCases.filter({ $0 != listener }).flatMap({ other in
                    route.callers.map { (other, $0) }
                }) {
                    let answer = try await send(to: other, as: role, on: stage) {
                        try await $0.post(route.path, "{}")
                    }
                    // One path is on both, for other callers.
                    let isShared = Self.routes.contains { $0.listener == other && $0.route.path == route.path }
                    #expect(answer.status == (isShared ? 403 : 404), "\(route.path)")
                }
            }
        }
    }

    private struct Request: Sendable {
        let name: String
        let method: String
        let suffix: String
        let type: String?
        let body: @Sendable (Route) -> RawClient.Body
        let status: Int

        init(
            _ name: String, method: String = "POST", suffix: String = "", type: String? = "application/json",
            _ status: Int, body: @escaping @Sendable (Route) -> RawClient.Body = { _ in .text("{}") }
        ) {
            self.name = name
            self.method = method
            self.suffix = suffix
            self.type = type
            self.body = body
            self.status = status
        }
    }

    private static let requests = [
        Request("GET", method: "GET", 405) { _ in .none },
        Request("PUT", method: "PUT", 405),
        Request("DELETE", method: "DELETE", 405) { _ in .none },
        Request("OPTIONS", method: "OPTIONS", 405) { _ in .none },
        Request("a slash behind the path", suffix: "/", 404),
        Request("another version of the path", suffix: "s", 404),
        Request("no media type", type: nil, 415),
        Request("text", type: "text/plain", 415),
        Request("protobuf", type: "application/x-protobuf", 415),
        Request("no body", 400) { _ in .none },
        Request("no JSON", 400) { _ in .text("key=value") },
        Request("half of it", 400) { _ in .text("{\"key") },
        Request("an empty object", 400),
        Request("one byte more than allowed", 413) { .text(String(repeating: " ", count: $0.bodyLimit + 1)) },
        Request("much more than allowed", 413) { .text(String(repeating: "a", count: 20 * $0.bodyLimit)) },
        Request("chunks without end", 413) { _ in .endless(String(repeating: " ", count: 1000)) },
    ]

    @Test("a request that breaks the contract is refused, and nothing is stored", arguments: routes.indices)
    func refused(index: Int) async throws {
        let (listener, route) = Self.routes[index]
        // A wish for a teleTAN has no body; see `OfficerTests`.
        guard route.requestMedia != nil else { return }
        try await VerificationStage.run { stage in
            try await send(to: listener, as: route.callers.first, on: stage) { client in
                for request in Self.requests {
                    let answer = try await client.send(
                        request.method, route.path + request.suffix,
                        fields: request.type.map { ["content-type": $0] } ?? [:], request.body(route))
                    #expect(answer.status == request.status, "\(request.name)")
                    #expect(answer.body.isEmpty)
                    #expect(answer["allow"] == (request.status == 405 ? "POST" : nil))
                }
            }
            #expect(try await stage.rows().isEmpty)
            #expect(stage.results.questions == 0)
        }
    }

    @Test("a request for a teleTAN has no body")
    func teleTANWithBody() async throws {
        try await VerificationStage.run { stage in
            let fields = ["authorization": "Bearer \(try stage.officers.token())"]
            let answer = try await stage.rawPortal(.portal) {
                try await $0.post("/version/v1/tan/teletan", "{}", fields: fields)
            }
            #expect(answer.status == 413)
            #expect(try await stage.rows().isEmpty)
        }
    }

    @Test("a body of the maximum size is accepted", arguments: [0, 1, 2])
    func largest(index: Int) async throws {
        try await VerificationStage.run { stage in
            let route = Self.routes[index].route
            let text =
                "{\"key\":\"\(HashedGUID.numbered(1).text)\",\"keyType\":\"GUID\",\"registrationToken\":\"\(Self.token)\"}"
            let body = text + String(repeating: " ", count: route.bodyLimit - text.utf8.count)
            let answer = try await stage.raw { try await $0.post(route.path, body, fields: ["cwa-fake": "1"]) }
            #expect((200...201).contains(answer.status))
        }
    }

    private static let token = "63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"

    @Test("after a refusal the server keeps answering")
    func goesOn() async throws {
        try await VerificationStage.run { stage in
            try await stage.raw { client in
                for request in Self.requests {
                    _ = try await client.send(
                        request.method, "/version/v1/tan" + request.suffix,
                        fields: request.type.map { ["content-type": $0] } ?? [:],
                        request.body(VerificationAPI.tan.route))
                    let answer = try await client.post(
                        "/version/v1/tan", #"{"registrationToken":"\#(Self.token)"}"#, fields: ["cwa-fake": "1"])
                    #expect(answer.status == 201, "after \(request.name)")
                }
            }
        }
    }
}
